"""Every C++ source stands in the meson.build of its folder or of one around it; one that does not would never be compiled."""

import os
import sys

import tree

root = sys.argv[1]


def is_listed(path):
    folder = os.path.dirname(path)
    while True:
        listing = os.path.join(folder, "meson.build")
        name = os.path.relpath(path, folder or ".")
        if os.path.isfile(os.path.join(root, listing)) and f"'{name}'" in tree.text(root, listing):
            return True
        if not folder:
            return False
        folder = os.path.dirname(folder)


sources = tree.files(root, ".cpp", ".cu", within=("bindings/", "calibrate/", "cli/", "explorer/", "lab/", "oracle/", "questions/", "reports/", "tests/"))
tree.report([f"{path}: in no meson.build of its folder or one around it" for path in sources if not is_listed(path)])
