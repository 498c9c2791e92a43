#!/bin/sh
# packaging/wheel.sh [DIRECTORY]: the package dodona for this system's python3 as a wheel, with its data and the libraries that a bare
# Debian lacks: `pip install dodona-*.whl`. The wheel goes to DIRECTORY (default: build); its path is the only line on standard output.
set -u

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P) || exit 70
# shellcheck source=tests/setup/prepare.sh
. "$root/tests/setup/prepare.sh"
folder=${1:-$root/build}

(
    require_packages nocheck,pkg.dodona.python
    build wheel all --buildtype=release -Dwerror=false -Dtests=disabled -Dcalibrate=disabled -Dmpi=disabled -Dlibrary=enabled -Dpython=enabled \
        -Dunity=on -Dunity_size=120
) >&2 || exit $?
module=$(find "$root/build/wheel/bindings/python" -maxdepth 1 -name '_dodona.*.so')
strip -o "$root/build/wheel/${module##*/}" "$module" || exit 70
python3 "$root/bindings/python/wheel.py" "$root/build/wheel/${module##*/}" "$root" "$folder"
