#!/bin/sh
# Runs a program of the runfiles in the caller's folder: launch.sh PROGRAM [ARG...]
# (PROGRAM relative to the runfiles' top; see launch.bzl).
set -eu
program=$(cd "${RUNFILES_DIR:-$0.runfiles}" && pwd)/$1
shift
cd "${BUILD_WORKING_DIRECTORY:-.}"
exec "$program" "$@"
