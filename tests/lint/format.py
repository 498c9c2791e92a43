"""Every C++ file is as clang-format 14 writes it (other versions differ in details)."""

import re
import subprocess
import sys

import tree

root = sys.argv[1]
program = tree.tool("clang-format-14", "clang-format")
if " 14." not in subprocess.run([program, "--version"], capture_output=True, text=True).stdout:
    tree.skip("not clang-format 14")
sources = tree.files(root, ".cpp", ".hpp")
if not sources:
    tree.skip("no C++ files")
check = subprocess.run([program, "--dry-run", "-Werror", *sources], cwd=root, capture_output=True, text=True)
wrong = sorted(set(re.findall(r"^(.*?):\d+:\d+: error", check.stderr, re.MULTILINE)))
if check.returncode and not wrong:
    wrong = [check.stderr]
tree.report([f"to mend: {program} -i {' '.join(wrong)}"] if wrong else [])
