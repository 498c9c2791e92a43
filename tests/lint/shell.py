"""shellcheck has nothing to say on any shell script."""

import subprocess
import sys

import tree

root = sys.argv[1]


def is_shell(path):
    if path.endswith(".sh"):
        return True
    try:
        return tree.text(root, path).startswith(("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash"))
    except UnicodeDecodeError:
        return False


program = tree.tool("shellcheck")
scripts = [path for path in tree.files(root) if is_shell(path)]
sys.exit(subprocess.run([program, "-x", *scripts], cwd=root).returncode and 1)
