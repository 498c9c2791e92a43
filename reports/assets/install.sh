#!/bin/sh
# install.sh FROM FOLDER: the scripts of charts, where they were fetched, into FOLDER of the installation.
set -eu
from=$1
folder=$2
case $folder in
    /*) folder=${DESTDIR:-}$folder ;;
    *) folder=$MESON_INSTALL_DESTDIR_PREFIX/$folder ;;
esac
for name in vega vega-lite vega-embed; do
    [ -f "$from/$name.min.js" ] || exit 0
    mkdir -p "$folder"
    cp "$from/$name.min.js" "$folder/"
done
