"""measure.py BACK_END [ROUNDS]: a training step's kernels next to loads on other cores, by the back end of `dodona calibrate`
(dodona-calibrate-cpu.so), into measured.csv. Without words: writes the table of README.md from measured.csv; a test holds that
the page has it, DODONA_ACCEPT=1 writes it.

The step is that of a fully connected layer of 1,024 features with 256 samples, in fp32 on one thread: three products, the
activation, the update. In addition a pass over memory beyond any cache, as the most that a load on memory can do."""

import csv
import json
import pathlib
import statistics
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
import measured  # noqa: E402

PRODUCT = {"kernel": "matmul", "m": 256, "n": 1024, "k": 1024, "batch": 1, "precision": "fp32"}
STEP = {"forward": {**PRODUCT, "direction": "forward"},
        "backward, input": {**PRODUCT, "direction": "backward-input"},
        "backward, weights": {**PRODUCT, "direction": "backward-weight"},
        "activation": {"kernel": "operator", "operator": "relu", "rows": 256, "columns": 1024, "precision": "fp32", "direction": "forward"},
        "update": {"kernel": "update", "elements": 1 << 20, "optimizer": "sgd", "precision": "fp32"}}
TRIAD = {"memory, 256 MiB": {"kernel": "stream", "bytes": 1 << 28, "pattern": "triad"}}
LOADS = {"M": "memory", "N": "network", "I": "files", "C": "cores"}
COLUMNS = ("round", "kernel", "load", "alone_s", "loaded_s")


def measure(library, rounds):
    serve = f"import ctypes; ctypes.CDLL({library!r}).dodona_measure(0, 1)"
    with subprocess.Popen([sys.executable, "-c", serve], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as back_end:
        def ask(line):
            back_end.stdin.write(json.dumps(line) + "\n")
            back_end.stdin.flush()
            return json.loads(back_end.stdout.readline())

        ask({"pass": "time", "quick": True, "most_seconds": 1, "seed": 1})
        for number in range(1, rounds + 1):
            for load in LOADS:
                for name, kernel in {**STEP, **TRIAD}.items():
                    got = ask({"benchmark": "interference", **kernel, "load": load + "1", "threads": 1, "directory": "/tmp"})
                    if "values" not in got:
                        sys.exit(f"{name} during {LOADS[load]}: {got}")
                    values = got["values"]
                    loaded = values["alone"] * values["slow_down"]
                    yield dict(zip(COLUMNS, (number, name, LOADS[load], f"{values['alone']:.4g}", f"{loaded:.4g}")))
        back_end.stdin.close()


def slow_downs(runs, load, kernels):
    """Of each round: the kernels during the load over the kernels alone."""
    by_round = {}
    for run in runs:
        if run["load"] == load and run["kernel"] in kernels:
            alone, loaded = by_round.get(run["round"], (0, 0))
            by_round[run["round"]] = alone + float(run["alone_s"]), loaded + float(run["loaded_s"])
    return sorted(loaded / alone for alone, loaded in by_round.values())


def table(runs):
    rows = {**{name: [name] for name in STEP}, "**the step**": list(STEP), **{name: [name] for name in TRIAD}}
    lines = ["| during a load on | " + " | ".join(LOADS.values()) + " |", "|---|" + "---:|" * len(LOADS)]
    for name, kernels in rows.items():
        cells = [slow_downs(runs, load, kernels) for load in LOADS.values()]
        lines.append(f"| {name} | " + " | ".join(f"{statistics.median(of):.2f} ({of[0]:.2f} to {of[-1]:.2f})" for of in cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    data = FOLDER / "measured.csv"
    if len(sys.argv) > 1:
        with open(data, "w", newline="", encoding="utf-8") as record:
            lines = csv.DictWriter(record, COLUMNS, lineterminator="\n")
            lines.writeheader()
            lines.writerows(measure(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5))
        return
    measured.fill(FOLDER / "README.md", table)


if __name__ == "__main__":
    main()
