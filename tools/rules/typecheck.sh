#!/bin/sh
# Type-checks a folder of the runfiles: typecheck.sh TSC MARKER FOLDER TSCONFIG
# (the first two relative to TEST_SRCDIR; MARKER is beside node_modules).
set -eu
tsc=$TEST_SRCDIR/$1 modules=$(dirname "$TEST_SRCDIR/$2")/node_modules
work=$TEST_TMPDIR/typecheck
mkdir -p "$work"
# The sources as files, node_modules beside them: the compiler looks upwards from each file.
cp -RL "$TEST_SRCDIR/$TEST_WORKSPACE/$3" "$work/"
ln -s "$modules" "$work/node_modules"
cd "$work/$3"
exec "$tsc" --noEmit --project "$4"
