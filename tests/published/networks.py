#!/usr/bin/env python3
"""The networks of a published table have a model file here, and as many parameters within 1 %.

The table is ../shared/measured/models.csv, or the file that DODONA_NETWORKS names; without one the test is skipped. A network
has the model of its name, or of the name that conventions.yaml gives it (oracle/validate and lab/evidence). The table counts matrices only,
the difference is norms, biases and positions.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["DODONA_SOURCE"])
PROGRAM = os.environ["DODONA_PROGRAM"]
TABLE = pathlib.Path(os.environ.get("DODONA_NETWORKS", SOURCE.parent / "shared/measured/models.csv"))
TOLERANCE = 0.01
SKIPPED = 77


def parameters():
    files = sorted((SOURCE / "models").glob("*.yaml"))
    done = subprocess.run([PROGRAM, "check", "--json", *map(str, files)], env=dict(os.environ, DODONA_DATA=str(SOURCE)),
                          capture_output=True, text=True)
    counts = {}
    for file in json.loads(done.stdout)["files"]:
        found = re.match(r"model \S+: ([\d,]+) parameters", file["holds"] or "")
        if found:
            counts[pathlib.Path(file["file"]).stem] = int(found[1].replace(",", ""))
    return counts


def names():
    text = "".join((SOURCE / place).read_text()
                   for place in ("oracle/validate/conventions.yaml", "lab/evidence/conventions.yaml"))
    return dict(re.findall(r"- \{when: \{model: ([^,}]+)\}, use: ([^}]+)\}", text))


def differences(counts, rows):
    other = names()
    for row in rows:
        name, billions = other.get(row["model"], row["model"]), row["parameters_billion"]
        if name not in counts:
            yield f"{name}: the table names it, models/ does not"
        elif billions and abs(counts[name] / 1e9 / float(billions) - 1) > TOLERANCE:
            yield f"{name}: {counts[name]:,} parameters, the table says {billions} billion"


def main():
    if not TABLE.is_file():
        print(f"no table of networks at {TABLE}")
        return SKIPPED
    rows = list(csv.DictReader(TABLE.open()))
    wrong = list(differences(parameters(), rows))
    print("\n".join(wrong))
    print(f"{len(rows)} networks, {len(wrong)} differ")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
