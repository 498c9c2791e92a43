#!/bin/sh
# packaging/archive.sh [DIRECTORY]: dodona as an archive that runs on any Linux of this architecture whose libc is not older than
# this system's: the program linked statically but for libc, with its data, man page and completions. Unpack it anywhere.
# The archive goes to DIRECTORY (default: build); its path is the only line on standard output.
set -u

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 70
# shellcheck source=tests/setup/prepare.sh
. "$root/tests/setup/prepare.sh"
folder=${1:-$root/build}

(
    require_packages nocheck
    build archive dodona --buildtype=release -Dwerror=false -Dtests=disabled -Dcalibrate=disabled -Dmpi=disabled -Dstatic=true \
        -Dunity=on -Dunity_size=120 --prefix=/ --libdir=lib
) >&2 || exit $?
# HTML reports and the page to ask in work where these are there.
for extra in report_assets:npm explorer:em++; do
    if have "${extra#*:}"; then
        ninja -C "$root/build/archive" "${extra%:*}" >"$root/build/archive-${extra%:*}.log" 2>&1 ||
            say "without ${extra%:*} (log: build/archive-${extra%:*}.log)"
    else
        say "without ${extra%:*}, which needs ${extra#*:}"
    fi
done
version=$(meson introspect --projectinfo "$root/build/archive" | sed -n 's/.*"version": "\([^"]*\)".*/\1/p')
name=dodona-$version-$(uname -m)-linux
stage=$root/build/archive/stage
rm -rf "$stage"
meson install -C "$root/build/archive" --no-rebuild --tags runtime,man,completion --destdir "$stage/$name" \
    >"$root/build/archive-install.log" 2>&1 || fail 70 'the installation failed' "$root/build/archive-install.log"
strip "$stage/$name/bin/dodona"
cp "$root/LICENSE" "$root/README.md" "$stage/$name"
mkdir -p "$folder"
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -cJf "$folder/$name.tar.xz.new" "$name" || exit 70
mv "$folder/$name.tar.xz.new" "$folder/$name.tar.xz"
echo "$folder/$name.tar.xz"
