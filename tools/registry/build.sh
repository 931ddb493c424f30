#!/usr/bin/env bash
# Builds the private Bazel and its registry into PREFIX: all of it or nothing.
# usage: build.sh PREFIX VERSION      (bazelw calls it; see README.md)
#
# Everything happens in PREFIX.stage, under a lock, and is renamed at the end; the
# file `complete` is written last, and what has none is built again. A second run at
# the same time waits for the first and finds its result.
set -euo pipefail
export LC_ALL=C
umask 022
prefix=$1 version=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

say() { printf 'bazelw: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# What is missing is named, all of it at once.
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] ||
  die "a private Bazel can be built on Linux x86_64 only, this is $(uname -s) $(uname -m); put bazelisk on the PATH"
missing=()
for tool in apt-get dpkg-deb flock go node npm sha256sum tar; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
[ ${#missing[@]} = 0 ] ||
  die "missing on this machine: ${missing[*]} (needed: a Debian-like system, Go, Node and npm; or put bazelisk on the PATH)"
[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] ||
  die "missing: /usr/share/keyrings/debian-archive-keyring.gpg (package debian-archive-keyring)"

mkdir -p "$(dirname "$prefix")"
exec 9>"$(dirname "$prefix")/lock"
if ! flock -n 9; then
  say "another bazelw is building the private Bazel; waiting for it"
  flock 9
fi
if [ "$(cat "$prefix/complete" 2>/dev/null)" = "$prefix" ]; then exit 0; fi

stage=$prefix.stage
rm -rf "$prefix" "$stage"
mkdir "$stage"
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

say "building a private Bazel $version in $prefix (once; about 152 MB from Debian, half a minute)"
log=$stage/log
# step TITLE COMMAND: in a subshell outside of any condition, where set -e holds.
step() {
  local title=$1 status; shift
  say "$title"
  set +e
  # it holds the lock too: if this script is killed, its last child may still be writing
  (set -e; "$@") >>"$log" 2>&1
  status=$?
  set -e
  [ "$status" = 0 ] || { tail -n 20 "$log" >&2; die "$title: failed (the lines above are its last)"; }
}
. "$here/bazel.sh"
. "$here/registry.sh"
step "[1/6] asking Debian which packages Bazel needs" bazel_resolve
step "[2/6] downloading them" bazel_download
step "[3/6] unpacking them" bazel_unpack
step "[4/6] giving them a loader and libraries of their own" bazel_relocate
step "[5/6] fetching rules_go and gazelle" registry_fetch
step "[6/6] writing the module registry" registry_write
mv "$stage/out" "$prefix"
# only now: the paths that are baked in exist after the rename
[ "$("$prefix/bin/bazel" --version 2>>"$log" 9>&-)" = "bazel $version" ] || {
  tail -n 5 "$log" >&2
  die "the Bazel that was built does not answer with its version $version"
}
printf '%s\n' "$prefix" >"$prefix/complete"
say "done: $prefix"
