"""The files of the repository, and how a lint reports. A lint is `NAME.py ROOT ...`: exit 0, 1 or, for what it
needs and does not find, 77."""

import os
import shutil
import subprocess
import sys


def files(root, *suffixes, within=("",)):
    """Paths relative to `root` that Git tracks or would, without a Git checkout all but build/ and hidden folders."""
    listing = subprocess.run(["git", "-C", root, "ls-files", "-coz", "--exclude-standard"],
                             capture_output=True, text=True) if shutil.which("git") else None
    if listing and listing.returncode == 0:
        found = set(listing.stdout.split("\0")) - {""}
    else:
        found = set()
        for folder, folders, names in os.walk(root):
            folders[:] = [f for f in folders if f != "build" and not f.startswith(".")]
            found.update(os.path.relpath(os.path.join(folder, name), root) for name in names)
    return sorted(f for f in found if f.endswith(suffixes or "") and f.startswith(tuple(within))
                  and os.path.isfile(os.path.join(root, f)))


def text(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def tool(*names):
    """The first of the programs that is installed; skips the lint where none is."""
    for name in names:
        if shutil.which(name):
            return name
    skip(f"{names[0]} is not installed")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def report(complaints):
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)
