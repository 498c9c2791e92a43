"""count.py STATUS TESTLOG...: prints "N passed, N failed, N skipped" from Meson's testlog.json files.

A GoogleTest program counts with its cases, any other test as one. STATUS is that of the build or of
`meson test`: a failure there that no test shows counts as one. Exits with 1 where anything failed.
"""

import json
import os
import re
import sys

GOOD = {"OK", "EXPECTEDFAIL"}


def cases(record):
    """(passed, failed, skipped) of one test."""
    out = record.get("stdout", "")

    def number(pattern):
        found = re.search(pattern, out, re.MULTILINE)
        return int(found[1]) if found else 0

    counts = [number(rf"^\[  {word} \] (\d+) test") for word in ("PASSED ", "FAILED ", "SKIPPED")]
    bad = record["result"] not in GOOD | {"SKIP"}
    if sum(counts):
        return counts[0], max(counts[1], int(bad)), counts[2]
    return int(record["result"] in GOOD), int(bad), int(record["result"] == "SKIP")


def main():
    status = int(sys.argv[1])
    totals = [0, 0, 0]
    for log in filter(os.path.exists, sys.argv[2:]):
        with open(log, encoding="utf-8") as lines:
            for line in lines:
                totals = [a + b for a, b in zip(totals, cases(json.loads(line)))]
    if status and not totals[1]:
        totals[1] = 1
    if not status and not sum(totals):
        print("no test ran", file=sys.stderr)
        totals[1] = 1
    print("{} passed, {} failed, {} skipped".format(*totals))
    sys.exit(1 if totals[1] else 0)


main()
