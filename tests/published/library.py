#!/usr/bin/env python3
"""Everything that comes with dodona is right: `dodona check` holds every file of models/, hardware/ and the strategies,
their published counts included; every model of a table of networks (DODONA_NETWORKS, a csv with columns model and
parameters_billion, optional) has a file of that name and as many parameters, within 0.1 %.
"""
import csv
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["DODONA_SOURCE"])
PROGRAM = os.environ["DODONA_PROGRAM"]
TABLE = pathlib.Path(os.environ.get("DODONA_NETWORKS", SOURCE.parent / "shared/measured/models.csv"))

# The table leaves out norms and some biases.
TOLERANCE = 0.001


def check(files):
    done = subprocess.run([PROGRAM, "check", *map(str, files)], env=dict(os.environ, DODONA_DATA=str(SOURCE)),
                          capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def parameters(lines):
    found = re.finditer(r"^(\S+): model \S+: ([\d,]+) parameters", lines, re.M)
    return {pathlib.Path(m[1]).stem: int(m[2].replace(",", "")) for m in found}


def differences(counts, table):
    for row in csv.DictReader(table.open()):
        name, billions = row["model"], row["parameters_billion"]
        if name not in counts:
            yield f"{name}: the table of networks names it, models/ does not"
        elif billions:
            if abs(counts[name] / 1e9 / float(billions) - 1) > TOLERANCE:
                yield f"{name}: {counts[name]:,} parameters, the table says {billions} billion"


def main():
    files = [*sorted((SOURCE / "models").glob("*.yaml")), *sorted((SOURCE / "hardware").glob("*/*.yaml")),
             *sorted((SOURCE / "oracle/plan/strategies").glob("*.yaml"))]
    code, lines, faults = check(files)
    print(faults, end="")
    wrong = list(differences(parameters(lines), TABLE)) if TABLE.is_file() else []
    print("\n".join(wrong))
    print(f"{len(lines.splitlines())} of {len(files)} files are right; "
          + (f"{len(wrong)} networks differ from the table" if TABLE.is_file() else "no table of networks to compare"))
    return 1 if code != 0 or wrong or len(lines.splitlines()) != len(files) else 0


if __name__ == "__main__":
    sys.exit(main())
