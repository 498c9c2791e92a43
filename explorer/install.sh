#!/bin/sh
# install.sh FROM FOLDER: the module of the explorer's page, where it was built, into FOLDER of the installation.
set -eu
from=$1
folder=$2
case $folder in
    /*) folder=${DESTDIR:-}$folder ;;
    *) folder=$MESON_INSTALL_DESTDIR_PREFIX/$folder ;;
esac
[ -f "$from/dodona.wasm" ] || exit 0
mkdir -p "$folder"
cp "$from/dodona.js" "$from/dodona.wasm" "$folder/"
