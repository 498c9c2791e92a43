"""tidy.py ROOT BUILD: clang-tidy, with the checks of .clang-tidy, on the sources of oracle/, cli/, reports/ and calibrate/ that
are built here and have changed since the last full run of the tests; with DODONA_FULL=1, or where that is not known, on
all of them. In a unity build these are the files that include the sources."""

import json
import os
import re
import subprocess
import sys
import tempfile

import compiled
import tree

root, build = map(os.path.abspath, sys.argv[1:3])
tree.tool("clang-tidy")
program = tree.tool("run-clang-tidy", "run-clang-tidy-14")
FOLDERS = ("oracle/", "cli/", "reports/", "calibrate/")


def tidy(database, sources):
    return subprocess.run([program, "-quiet", "-p", database, f"-j{os.cpu_count()}", *sources]).returncode and 1


def main():
    if not tree.files(root, ".cpp", within=FOLDERS):
        tree.skip("no C++ files")
    changed = None if os.environ.get("DODONA_FULL") else tree.changed(root)
    if changed is None:
        sys.exit(tidy(build, [f"^({re.escape(os.path.realpath(root))}/({'|'.join(FOLDERS)}).*|.*dodona-.*-unity[0-9]+)[.]cpp$"]))
    commands = compiled.commands(root, build)
    changed = sorted({re.sub("[.]hpp$", ".cpp", path) for path in changed})
    with tempfile.TemporaryDirectory() as folder:
        entries = [{"directory": build, "file": os.path.join(root, path), "arguments": [*commands[path], "-c", os.path.join(root, path)]}
                   for path in changed if path in commands and path.startswith(FOLDERS)]
        if not entries:
            tree.skip("no source has changed")
        with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
            json.dump(entries, file)
        sys.exit(tidy(folder, [f"^{re.escape(os.path.realpath(root))}/.*$"]))


main()
