"""tidy.py ROOT BUILD: clang-tidy, with the checks of .clang-tidy, on every source of oracle/, reports/ and calibrate/ that is built here."""

import os
import re
import subprocess
import sys

import tree

root, build = map(os.path.abspath, sys.argv[1:3])
tree.tool("clang-tidy")
program = tree.tool("run-clang-tidy", "run-clang-tidy-14")
if not tree.files(root, ".cpp", within=("oracle/", "reports/", "calibrate/")):
    tree.skip("no C++ files")
sources = f"^{re.escape(os.path.realpath(root))}/(oracle|reports|calibrate)/.*[.]cpp$"
sys.exit(subprocess.run([program, "-quiet", "-p", build, f"-j{os.cpu_count()}", sources]).returncode and 1)
