"""measured.py PAGE: writes the tables of a page from the runs next to it, lines of CSV: `exchange`, or `part`, what was
measured; `link_mbps`, or `where`; `measured_s` and `predicted_s`; `is_bound` where the prediction is a lower bound. Of
several runs their median.

A test holds that the pages have them; DODONA_ACCEPT=1 writes them."""

import csv
import os
import pathlib
import re
import statistics
import sys

TABLE = re.compile(r"(<!-- table: (\S+) -->\n\n).*?(\n<!-- end -->\n)", re.DOTALL)


def where(run):
    return (0, run["where"]) if "where" in run else (int(run["link_mbps"]), f"at {run['link_mbps']} Mb/s")


def cells(runs):
    measured, predicted = (statistics.median(float(run[name]) for run in runs) for name in ("measured_s", "predicted_s"))
    bound = "≥ " if runs[0].get("is_bound") == "yes" else ""
    return f"{1e3 * measured:.1f} | {bound}{1e3 * predicted:.1f} | {predicted / measured - 1:+.1%}"


def table(runs):
    kind = next(iter(runs[0]))
    places = sorted({where(run) for run in runs})
    lines = [f"| {kind} | " + " | ".join(f"measured {place} | predicted | off" for _, place in places) + " |",
             "|---|" + "---:|---:|---:|" * len(places)]
    for name in sorted({run[kind] for run in runs}):
        of = [[run for run in runs if run[kind] == name and where(run) == place] for place in places]
        lines.append(f"| `{name}` | " + " | ".join(map(cells, of)) + " |")
    return "\n".join(lines) + "\n"


def fill(page, table):
    """Writes the tables of the page, or ends with an error where they are not those of their runs."""
    def filled(match):
        with open(page.parent / match[2], newline="", encoding="utf-8") as runs:
            return match[1] + table(list(csv.DictReader(runs))) + match[3]

    text = page.read_text(encoding="utf-8")
    written = TABLE.sub(filled, text)
    if os.environ.get("DODONA_ACCEPT") == "1":
        page.write_text(written, encoding="utf-8")
    elif written != text:
        sys.exit(f"{page} does not have the runs of its tables; DODONA_ACCEPT=1 writes them")


if __name__ == "__main__":
    fill(pathlib.Path(sys.argv[1]), table)
