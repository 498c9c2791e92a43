"""tidy.py ROOT BUILD: clang-tidy, with the checks of .clang-tidy, on every source of oracle/, questions/, cli/, reports/,
lab/ and calibrate/ that is built here. In a unity build these are the files that include the sources. Those without a source
of a folder in which C++ has changed since the tests last passed are left out, but for DODONA_FULL=1."""

import json
import os
import re
import subprocess
import sys

import tree

RULES = (".clang-tidy", "meson.build", "tests/lint/tidy.py")


def sources(root, path):
    """What a unit consists of, relative to the root."""
    with open(path, encoding="utf-8") as file:
        included = re.findall(r'^#include\s*[<"]([^>"]+\.cpp)', file.read(), re.M)
    return [os.path.relpath(os.path.realpath(source), os.path.realpath(root)) for source in included or [path]]


def units(root, build):
    """The files to check."""
    changed = None if os.environ.get("DODONA_FULL") else tree.changed(root)
    everything = changed is None or any(path in RULES for path in changed)
    folders = {os.path.dirname(path) for path in changed or [] if path.endswith((".cpp", ".hpp"))}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        compiled = {os.path.normpath(os.path.join(unit["directory"], unit["file"])) for unit in json.load(file)}
    ours = f"^({re.escape(os.path.realpath(root))}/(oracle|questions|cli|reports|lab|calibrate)/.*|.*dodona-.*-unity[0-9]+)[.]cpp$"
    found = sorted(path for path in compiled if re.match(ours, path))
    return [path for path in found
            if everything or any(os.path.dirname(source) in folders for source in sources(root, path))]


def main():
    root, build = map(os.path.abspath, sys.argv[1:3])
    tree.tool("clang-tidy")
    program = tree.tool("run-clang-tidy", "run-clang-tidy-14")
    if not tree.files(root, ".cpp", within=("oracle/",)):
        tree.skip("no C++ files")
    found = [f"^{re.escape(path)}$" for path in units(root, build)]
    return found and subprocess.run([program, "-quiet", "-p", build, f"-j{os.cpu_count()}", *found]).returncode and 1


if __name__ == "__main__":
    sys.exit(main() or 0)
