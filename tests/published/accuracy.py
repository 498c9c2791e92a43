#!/usr/bin/env python3
"""Holds predictions to the errors that reports/accuracy.md records.

accuracy.py typed     on the published tables that this repository has
accuracy.py measured  and on the project's large table beside them; exits 77 where that is not at hand

DODONA_ACCEPT=1 makes `measured` write the page anew instead: the figures of now become the record.
"""
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["DODONA_SOURCE"])
PROGRAM = os.environ["DODONA_PROGRAM"]
PAGE = "reports/accuracy.md"
HELD_OUT = "reports/leave_one_out.yaml"
MEASURED = "../shared/measured/runs.csv"


def validate(tables, *options):
    environment = dict(os.environ, DODONA_DATA=str(SOURCE), NO_COLOR="1")
    done = subprocess.run([PROGRAM, "validate", *tables, *options, "-o", os.devnull], cwd=SOURCE, env=environment,
                          timeout=100, stdin=subprocess.DEVNULL)
    return done.returncode


def main():
    tables = sorted(str(path.relative_to(SOURCE)) for path in SOURCE.glob("tests/validate/published/*.csv"))
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
        held_out = ["--held-out", HELD_OUT] if (SOURCE / HELD_OUT).exists() else []
        return validate(tables, *held_out, "--record", PAGE)
    return validate(tables, "--gate", PAGE)


if __name__ == "__main__":
    sys.exit(main())
