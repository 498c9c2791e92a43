"""page.py: writes the tables of README.md from the runs of tests/replicas/exchange_truth.py --record TABLE.csv.

A test holds that the page has them; DODONA_ACCEPT=1 writes it."""

import csv
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent
COLUMNS = ("exchange", "link_mbps", "measured_s", "predicted_s", "is_bound")
TABLES = ("measured.csv", "torus.csv")
END = "<!-- end -->\n"


def cells(run):
    measured, predicted = float(run["measured_s"]), float(run["predicted_s"])
    bound = "≥ " if run["is_bound"] == "yes" else ""
    return f"{1e3 * measured:.1f} | {bound}{1e3 * predicted:.1f} | {predicted / measured - 1:+.1%}"


def table(runs):
    speeds = sorted({int(run["link_mbps"]) for run in runs})
    by_name = {}
    for run in runs:
        by_name.setdefault(run["exchange"], {})[int(run["link_mbps"])] = run
    lines = ["| exchange | " + " | ".join(f"measured at {speed} Mb/s | predicted | off" for speed in speeds) + " |",
             "|---|" + "---:|---:|---:|" * len(speeds)]
    lines += [f"| `{name}` | " + " | ".join(cells(of[speed]) for speed in speeds) + " |" for name, of in sorted(by_name.items())]
    return "\n".join(lines) + "\n"


def main():
    page = FOLDER / "README.md"
    text = written = page.read_text()
    for name in TABLES:
        begin = f"<!-- table: {name} -->\n"
        before, rest = written.split(begin)
        with open(FOLDER / name, newline="") as runs:
            written = before + begin + "\n" + table(list(csv.DictReader(runs))) + "\n" + END + rest.split(END, 1)[1]
    if os.environ.get("DODONA_ACCEPT") == "1":
        page.write_text(written)
    elif written != text:
        sys.exit("reports/exchanges/README.md does not have the runs of its tables; DODONA_ACCEPT=1 writes them")


if __name__ == "__main__":
    main()
