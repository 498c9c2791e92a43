#!/bin/sh
# install_text.sh FOLDER NAME WORDS...: what `dodona WORDS...` prints becomes FOLDER/NAME of the installation.
# Where NAME is empty, `dodona WORDS... FOLDER` writes the files there.
set -eu
folder=$1
name=$2
shift 2
case $folder in
    /*) folder=${DESTDIR:-}$folder ;;
    *) folder=$MESON_INSTALL_DESTDIR_PREFIX/$folder ;;
esac
mkdir -p "$folder"
[ -n "$name" ] || exec "$MESON_BUILD_ROOT/dodona" "$@" "$folder"
"$MESON_BUILD_ROOT/dodona" "$@" >"$folder/$name.unfinished"
mv "$folder/$name.unfinished" "$folder/$name"
