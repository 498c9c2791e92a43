"""Every C++ source stands in its layer's meson.build; one that does not would never be compiled."""

import os
import sys

import tree

root = sys.argv[1]
complaints = []
for path in tree.files(root, ".cpp", within=("calibrate/", "oracle/", "reports/", "tests/")):
    parts = path.split("/")
    layer = "/".join(parts[: 1 if parts[0] in ("calibrate", "reports") else 2])
    if len(parts) == 3 and parts[0] == "calibrate":
        layer = "/".join(parts[:2])
    listing = "meson.build" if path == "oracle/cli/main.cpp" else f"{layer}/meson.build"
    name = path if listing == "meson.build" else os.path.relpath(path, layer)
    if not os.path.isfile(os.path.join(root, listing)) or f"'{name}'" not in tree.text(root, listing):
        complaints.append(f"{path}: not in {listing}")
tree.report(complaints)
