#!/usr/bin/env bash
# Writes the Go rules of all BUILD.bazel files: tools/gazelle.sh [folder...]
# With --check nothing is written and what would change is an error, with the diff.
# gazelle comes from the Go module proxy, so that no Bazel build includes it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=fix
if [ "${1:-}" = --check ]; then mode=diff; shift; fi
GOFLAGS=-mod=mod exec go run github.com/bazelbuild/bazel-gazelle/cmd/gazelle@v0.53.0 update -mode="$mode" "$@"
