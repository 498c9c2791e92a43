"""tidy.py ROOT BUILD: clang-tidy, with the checks of .clang-tidy, on every source of oracle/, questions/, cli/, reports/,
lab/ and calibrate/ that is built here. In a unity build these are the files that include the sources."""

import os
import re
import subprocess
import sys

import tree

root, build = map(os.path.abspath, sys.argv[1:3])
tree.tool("clang-tidy")
program = tree.tool("run-clang-tidy", "run-clang-tidy-14")
if not tree.files(root, ".cpp", within=("oracle/",)):
    tree.skip("no C++ files")
sources = f"^({re.escape(os.path.realpath(root))}/(oracle|questions|cli|reports|lab|calibrate)/.*|.*dodona-.*-unity[0-9]+)[.]cpp$"
sys.exit(subprocess.run([program, "-quiet", "-p", build, f"-j{os.cpu_count()}", sources]).returncode and 1)
