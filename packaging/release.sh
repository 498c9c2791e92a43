#!/bin/sh
# packaging/release.sh [DIRECTORY [PART...]]: what a release consists of, into DIRECTORY (default: build/release-files), with
# SHA256SUMS of it and dodona-VERSION.spdx.json, a bill of materials (SPDX 2.3). Parts, all by default:
#   source    dodona-VERSION.tar.xz, the last commit
#   archive   packaging/archive.sh
#   explorer  explorer.html, the page to ask in; needs em++
#   wheel     packaging/wheel.sh
#   deb       the Debian package; needs debhelper
# A part that cannot be made here is named, and the exit code is 3.
set -u

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 70
# shellcheck source=tests/setup/prepare.sh
. "$root/tests/setup/prepare.sh"
folder=${1:-$root/build/release-files}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- source archive explorer wheel deb
version=$(sed -n "s/^ *version: '\([^']*\)'.*/\1/p" "$root/meson.build" | head -n 1)
mkdir -p "$folder" || exit 70
folder=$(CDPATH='' cd -- "$folder" && pwd -P)
missing=0

without() {
    say "without $1: $2"
    missing=3
}

# The tree of the last commit, in folder $1.
committed_tree() { git -C "$root" archive --prefix="dodona-$version/" HEAD | tar -C "$1" -xf -; }

make_part() {
    case $1 in
        source)
            if ! { git -C "$root" archive --prefix="dodona-$version/" HEAD >"$folder/dodona-$version.tar" &&
                xz -f -T1 "$folder/dodona-$version.tar"; }; then
                without source 'git cannot archive this tree'
            fi
            ;;
        archive) "$root/packaging/archive.sh" "$folder" >&2 || without archive 'packaging/archive.sh failed' ;;
        explorer)
            if ! have em++; then
                without explorer.html 'it needs Emscripten: apt-get install emscripten'
                return
            fi
            "$root/dodona" --yes explorer -o "$folder/explorer.html" >&2 || without explorer.html 'it was not built'
            ;;
        wheel) "$root/packaging/wheel.sh" "$folder" >&2 || without wheel 'packaging/wheel.sh failed' ;;
        deb)
            if ! have dh; then
                without 'the Debian package' 'it needs debhelper: apt-get install debhelper'
                return
            fi
            work=$(mktemp -d)
            if ! { committed_tree "$work" &&
                (cd "$work/dodona-$version" && dpkg-buildpackage -b -us -uc -Ppkg.dodona.deb,nocheck) >"$work/log" 2>&1 &&
                mv "$work"/*.deb "$folder/"; }; then
                without 'the Debian package' "$(tail -n 1 "$work/log")"
            fi
            rm -rf "$work"
            ;;
        *) fail 2 "\"$1\" is no part: source, archive, explorer, wheel, deb" /dev/null ;;
    esac
}

for part in "$@"; do
    make_part "$part"
done
rm -f "$folder/SHA256SUMS"
python3 "$root/packaging/bill_of_materials.py" "$root" "$version" >"$folder/dodona-$version.spdx.json" || exit 70
sums=$(cd "$folder" && find . -maxdepth 1 -type f -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum) || exit 70
printf '%s\n' "$sums" >"$folder/SHA256SUMS"
echo "$folder"
exit "$missing"
