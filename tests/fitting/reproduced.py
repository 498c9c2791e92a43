"""reproduced.py ROOT PROGRAM: `dodona-evidence fit kernels` writes hardware/profiles as they are, byte by byte, but those that were
typed from a source and do not say that it wrote them. Exits with 77 (skipped) where the folder of measured kernels,
../shared/measured/kernels, is not there."""

import os
import subprocess
import sys
import tempfile

WRITTEN = "Written by `dodona-evidence fit kernels`"

root, program = sys.argv[1:]
measured = os.path.join(root, "..", "shared", "measured", "kernels")
if not os.path.isdir(measured):
    print(f"skipped: no {measured}")
    sys.exit(77)


def contents(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found[name] = file.read()
    return found


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([program, "fit", "kernels", measured, "--data", root, "-o", folder], check=True)
    made = contents(folder)
kept = {name: text for name, text in contents(os.path.join(root, "hardware", "profiles")).items() if WRITTEN in text}
differing = [name for name in sorted(made.keys() | kept.keys()) if made.get(name) != kept.get(name)]
for name in differing:
    print(f"hardware/profiles/{name} is not what the program writes")
sys.exit(1 if differing else 0)
