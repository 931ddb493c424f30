#!/usr/bin/env bash
# Writes the Go rules of all BUILD.bazel files, and tools/lint/targets.bzl, the list of
# Go targets that the lint reads the sources of.
#
#   tools/gazelle.sh           write
#   tools/gazelle.sh --check   write nothing; what would change is an error, with the diff
#
# gazelle comes from the Go module proxy, so that no Bazel build includes it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# go_targets lists what is compiled: e2e scenarios too, which gazelle leaves alone.
go_targets() {
  echo '"""Every Go target but the lint itself. Written by tools/gazelle.sh: do not edit."""'
  echo
  echo 'GO_TARGETS = ['
  find . -name BUILD.bazel -not -path './bazel-*' -not -path '*/node_modules/*' | sed 's|^\./||' | LC_ALL=C sort | while read -r file; do
    awk -v package="$(dirname "$file")" '
      /^(go_library|go_binary|go_test|e2e_scenario|e2e_benchmark)\($/ { inside = 1; next }
      /^\)/ { if (inside && !private) print "    \"//" package ":" name "\","; inside = private = 0 }
      inside && /^    name = / { name = $3; gsub(/[",]/, "", name) }
      inside && /visibility:private/ { private = 1 }
    ' "$file"
  done | grep -v '"//tools/lint:'
  echo ']'
}

gazelle() { GOFLAGS=-mod=mod go run github.com/bazelbuild/bazel-gazelle/cmd/gazelle@v0.53.0 update -mode="$1"; }

case ${1:-} in
  '')
    gazelle fix
    go_targets >tools/lint/targets.bzl
    ;;
  --check)
    status=0
    gazelle diff || status=1
    diff -u tools/lint/targets.bzl <(go_targets) || status=1
    [ "$status" = 0 ] || echo "run tools/gazelle.sh" >&2
    exit "$status"
    ;;
  *)
    echo "usage: tools/gazelle.sh [--check]" >&2
    exit 2
    ;;
esac
