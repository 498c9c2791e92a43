#!/bin/sh
# compile.sh EM++ OBJECT FLAGS -- SOURCES: all sources as one translation unit, its dependencies in OBJECT.d.
set -eu
compiler=$1
object=$2
shift 2
flags=
while [ "$1" != -- ]; do
    flags="$flags $1"
    shift
done
shift
for source in "$@"; do
    printf '#include "%s"\n' "$source"
done >"$object.cpp"
# shellcheck disable=SC2086  # words
exec "$compiler" $flags -MD -MF "$object.d" -MT "$object" -c "$object.cpp" -o "$object"
