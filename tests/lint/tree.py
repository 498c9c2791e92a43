"""The files of the repository, and how a lint reports. A lint is `NAME.py ROOT ...`: exit 0, 1 or, for what it
needs and does not find, 77. `tree.py ROOT` lists what has changed since the tests last passed."""

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


def git(root, *arguments):
    """The lines that Git prints, or None."""
    if not shutil.which("git"):
        return None
    done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else None


def changed(root):
    """Files that are not as when all tests last passed (tests/setup/passed_run has the commit); None: unknown."""
    known = git(root, "diff", "--name-only", text(root, "tests/setup/passed_run").strip())
    new = git(root, "ls-files", "-o", "--exclude-standard")
    return None if known is None or new is None else sorted({*known, *new})


def layers(root):
    """(folder -> the folders it may include, include prefix -> the folders that may include it)"""
    folders, reserved = {}, {}
    for line in text(root, "oracle/LAYERS").splitlines():
        if line and line[0] not in "#[":
            key, allowed = line.split(":")
            (reserved if key[0] in '<"' else folders)[key] = allowed.split()
    return folders, reserved


def layer_of(path, folders):
    """The line of oracle/LAYERS that a file belongs to, or None. Folders without a line belong to the one around them."""
    folder = os.path.dirname(path.removeprefix("oracle/"))
    while folder and folder not in folders:
        folder = os.path.dirname(folder)
    return folder or None


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


if __name__ == "__main__":
    print("\n".join(changed(sys.argv[1]) or []))
