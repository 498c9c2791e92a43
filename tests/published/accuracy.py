#!/usr/bin/env python3
"""Holds predictions to the errors that the pages in calibrate/evidence/pages record.

accuracy.py typed [EVIDENCE]     accuracy.md, on the published tables that this repository has
accuracy.py measured [EVIDENCE]  and on the project's large table beside them; exits 77 where that is not at hand
accuracy.py others               never_fitted.md, recent_runs.md and nanotron_sweep.md: runs that no parameter was fitted to, in folders
                                 beside the large table, where they are at hand; one_gpu.md: steps and peaks of memory of this repository

DODONA_ACCEPT=1 makes `measured` and `others` write their pages anew instead: the figures of now become the record.
EVIDENCE is the program dodona-evidence, which writes accuracy.md.
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

# Page -> folder of its runs, their tables, and the options that say what their words mean.
OTHERS = {
    "never_fitted.md": ("../shared/measured/more", ["runs.csv"], ["--models", "models.csv", "--machines", "machines.csv"]),
    "recent_runs.md": ("../shared/measured/recent", ["runs.csv"], ["--models", "models.csv", "--machines", "machines.csv"]),
    "nanotron_sweep.md": ("../shared/measured/nanotron", ["runs.csv"],
                          ["--models", "models.csv", "--machines", "machines.csv", "--links", "links.csv"]),
    "one_gpu.md": (f"{EVIDENCE}/tables/steps", ["runs.csv", "parallel.csv"], ["--conventions", "../../conventions.yaml"]),
}


def run(*words, folder=SOURCE):
    environment = dict(os.environ, DODONA_DATA=str(SOURCE), NO_COLOR="1")
    return subprocess.run(words, cwd=folder, env=environment, timeout=100, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL).returncode


def others(accept):
    """The first exit status of a page that is not 0."""
    status = 0
    for page, (folder, tables, words) in OTHERS.items():
        if (SOURCE / folder / "runs.csv").exists():
            record = ["--record" if accept else "--gate", SOURCE / EVIDENCE / "pages" / page]
            found = run(PROGRAM, "validate", *tables, *words, *record, "-o", os.devnull, folder=SOURCE / folder)
            status = status or found
        else:
            print(f"{folder}/runs.csv is not there: {page} is not held")
    return status


def main():
    tables = sorted(str(path.relative_to(SOURCE)) for path in SOURCE.glob(f"{EVIDENCE}/tables/*.csv"))
    if not tables:
        print("there are no published tables")
        return 1
    accept = os.environ.get("DODONA_ACCEPT") == "1"
    if sys.argv[1] == "others":
        return others(accept)
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
