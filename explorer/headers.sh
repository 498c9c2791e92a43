#!/bin/sh
# headers.sh FOLDER C++...: a folder with links to the headers of fmt, nlohmann_json, Boost and CLI11 as that compiler finds them.
set -eu
folder=$1
shift
mkdir -p "$folder"
for header in fmt/format.h nlohmann/json.hpp boost/version.hpp CLI/Version.hpp; do
    found=$(printf '#include <%s>\n' "$header" | "$@" -x c++ -M - | tr ' ' '\n' | grep -m 1 "/$header\$")
    ln -sfn "${found%/*}" "$folder/${header%/*}"
done
