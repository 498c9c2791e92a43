#!/bin/sh
# fetch.sh FOLDER [TARBALLS]: puts the scripts that draw charts in HTML pages into FOLDER, and the schema of Vega-Lite beside
# them. They come from the folder TARBALLS or $DODONA_REPORT_ASSETS, which has the files of
#   npm pack vega@6.4.0 vega-lite@6.5.0 vega-embed@7.3.0
# or else npm fetches them. Each must have the checksum below. All three are under BSD-3-Clause.
set -eu

folder=$1
tarballs=${2:-${DODONA_REPORT_ASSETS:-}}

checksums() {
    cat <<'END'
ac75c2ab62e911608b3235c1123ee1a1c63d1b4fe2e5319845ac861928f4e954c5e3e976206d99ee87992828d66d487fee14c4fe65616da38f07bdb0084961ea  vega-6.4.0.tgz
7cc5c5eacd0cac88345135a72c87de16d8122f3561cb348aa1bcc6ae1e6b852fa62fa14e6051b79bba2e278536de08fae442be825f452084f9c3bc0b35a03390  vega-lite-6.5.0.tgz
c10f2ce46692ceaa0a82645f6d1a25801ae313608fed92875ea1fb3628f132a3e3a5d5b14ace039fcb6fa7d83482242f87670afb7a79eacc63596334c0d9e01b  vega-embed-7.3.0.tgz
END
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "$tarballs" ]; then
    for file in $(checksums | sed 's/.* //'); do
        cp "$tarballs/$file" "$work/" || exit 1
    done
else
    (cd "$work" && npm pack --silent --ignore-scripts vega@6.4.0 vega-lite@6.5.0 vega-embed@7.3.0 >/dev/null)
fi
checksums | (cd "$work" && sha512sum -c --quiet) || {
    echo "the scripts for charts are not those that dodona was tested with" >&2
    exit 1
}
mkdir -p "$folder"
for name in vega vega-lite vega-embed; do
    tar -xzf "$work/$name"-[0-9]*.tgz -C "$work" "package/build/$name.min.js"
    mv "$work/package/build/$name.min.js" "$folder/"
done
tar -xzf "$work"/vega-lite-[0-9]*.tgz -C "$work" package/build/vega-lite-schema.json
mv "$work/package/build/vega-lite-schema.json" "$folder/"
