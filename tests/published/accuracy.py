#!/usr/bin/env python3
"""Holds predictions to the errors that calibrate/evidence/pages/accuracy.md records.

accuracy.py typed [EVIDENCE]     on the published tables that this repository has
accuracy.py measured [EVIDENCE]  and on the project's large table beside them; exits 77 where that is not at hand

DODONA_ACCEPT=1 makes `measured` write the page anew instead: the figures of now become the record. EVIDENCE is the
program dodona-evidence, which does that.
"""
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["DODONA_SOURCE"])
PROGRAM = os.environ["DODONA_PROGRAM"]
EVIDENCE = "calibrate/evidence"
PAGE = f"{EVIDENCE}/pages/accuracy.md"
MEASURED = "../shared/measured/runs.csv"


def run(*words):
    environment = dict(os.environ, DODONA_DATA=str(SOURCE), NO_COLOR="1")
    return subprocess.run(words, cwd=SOURCE, env=environment, timeout=100, stdin=subprocess.DEVNULL).returncode


def main():
    tables = sorted(str(path.relative_to(SOURCE)) for path in SOURCE.glob(f"{EVIDENCE}/tables/*.csv"))
    if not tables:
        print("there are no published tables")
        return 1
    accept = os.environ.get("DODONA_ACCEPT") == "1"
    if sys.argv[1] == "measured":
        if not (SOURCE / MEASURED).exists():
            print(f"{MEASURED} is not there")
            return 77
        tables.append(MEASURED)
    elif accept:
        print("the page is written with the measured table: accuracy.py measured")
        return 77
    if accept:
        if len(sys.argv) < 3:
            print("there is no dodona-evidence to write the page")
            return 1
        return run(pathlib.Path(sys.argv[2]).resolve(), "accuracy", "page", *tables, "-o", PAGE)
    return run(PROGRAM, "validate", *tables, "--conventions", f"{EVIDENCE}/conventions.yaml", "--gate", PAGE,
               "-o", os.devnull)


if __name__ == "__main__":
    sys.exit(main())
