#!/usr/bin/env python3
"""Holds predictions to the errors that the pages in lab/evidence/pages record.

accuracy.py typed [EVIDENCE]     accuracy.md, on the published tables that this repository has
accuracy.py measured [EVIDENCE]  and on the project's large table beside them; exits 77 where that is not at hand
accuracy.py others               never_fitted.md, recent_runs.md and nanotron_sweep.md: runs that no parameter was fitted to, in folders
                                 beside the large table, where they are at hand; one_gpu.md: steps and peaks of memory of this repository
accuracy.py observed [K...]      prints what K steps of each user (default: 1 3) gain for its other runs of these tables
accuracy.py classes              prints the table of docs/accuracy.md by software and devices

DODONA_ACCEPT=1 makes `measured` and `others` write their pages anew instead: the figures of now become the record.
EVIDENCE is the program dodona-evidence, which writes accuracy.md.
"""
import csv
import itertools
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["DODONA_SOURCE"])
PROGRAM = os.environ["DODONA_PROGRAM"]
EVIDENCE = "lab/evidence"
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

# Kinds of networks, software and devices -> words of a row, the first that it has.
NETWORKS = {"images, recurrent, tables": ("image=", "volume=", "gnmt", "dlrm")}
SOFTWARE = {"JAX": ("MaxText", "JAX"),
            "Megatron and its like": ("Megatron", "NeMo (MLPerf)", "NeMo,", "nanotron", "AA-Scaling", "InternEvo"),
            "PyTorch, Transformers": ("PyTorch", "Transformers", "torch", "Habana", "DeepSpeed")}
DEVICES = {"TPU, Gaudi": ("tpu", "gaudi"), "AMD": ("mi300", "mi325"),
           "cards": ("rtx", "gtx", "titan", "l40s")}
JOB = ("group", "model", "model_overrides", "input", "global_batch", "machine", "device", "gpus", "precision", "framework")
LAYOUT = ("tensor", "pipeline", "data", "microbatch", "recompute", "sequence_parallel", "context", "expert", "strategy", "shard")


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


def rows(folder, tables, words, anchors, needs="error"):
    """Predicted runs with a measured time, or with what else `needs` names, by id."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as answer:
        words = [*words, *(["--anchor", str(anchors)] if anchors else []), "-o", answer.name]
        if run(PROGRAM, "validate", *tables, *words, folder=SOURCE / folder) != 0:
            sys.exit(f"{folder}: not answered")
        return {row["id"]: row for row in csv.DictReader(pathlib.Path(answer.name).open()) if row[needs]}


def means(found):
    """Mean error of runs, of groups, and the share of measured times in the interval, in percent."""
    sizes = {}
    for row in found:
        sizes.setdefault(row["group"], []).append(abs(float(row["error"])))
    inside = [float(row["lo_s"]) <= float(row["measured_s"]) <= float(row["hi_s"]) for row in found]
    return [100 * statistics.mean(values) for values in (sum(sizes.values(), []), map(statistics.mean, sizes.values()), inside)]


def observed(counts):
    """Errors of the runs that are left, before and after steps of their users were observed."""
    print("page               steps  runs   mean  of groups  inside   before  of groups")
    for page, (folder, tables, words) in OTHERS.items():
        if not (SOURCE / folder / "runs.csv").exists():
            continue
        unadjusted = rows(folder, tables, words, 0)
        for count in counts:
            after = rows(folder, tables, words, count)
            if after:
                mean, groups, inside = means(after.values())
                before, before_groups, _ = means([unadjusted[name] for name in after])
                print(f"{page:18} {count:5} {len(after):5} {mean:5.1f} % {groups:8.1f} % {inside:5.0f} % {before:6.1f} % {before_groups:8.1f} %")
    return 0


def kind(text, kinds, other):
    return next((name for name, words in kinds.items() if any(word in text for word in words)), other)


def order(found):
    """Pairs of plans for one job, measured at least 2 % apart: how many, and how many as measured; a tie is a half."""
    pairs = right = 0
    for a, b in itertools.combinations(found, 2):
        measured, predicted = (math.log(float(a[time]) / float(b[time])) for time in ("measured_s", "predicted_s"))
        if any(a[key] != b[key] for key in JOB) or all(a[key] == b[key] for key in LAYOUT) or abs(measured) < 0.02:
            continue
        pairs += 1
        right += 0.5 if predicted == 0 else (predicted > 0) == (measured > 0)
    return pairs, right


def classes():
    """A row of Markdown for each kind of software and of devices, of runs that no framework was fitted to."""
    found = {}
    for folder, tables, words in [row for page, row in OTHERS.items() if page != "one_gpu.md"]:
        predicted = rows(folder, tables, [word for word in words if word not in ("--links", "links.csv")], 0, "predicted_s")
        for row in csv.DictReader((SOURCE / folder / "runs.csv").open()):
            if row["id"] in predicted:
                software = kind(row["framework"] + ",", SOFTWARE, "others")
                software = kind(row["input"] + row["model"], NETWORKS, software)
                devices = kind(row["device"], DEVICES, "NVIDIA data centre")
                for name in ((software, devices), ("~", "all")):
                    found.setdefault(name, []).append(row | predicted[row["id"]])
    print("| software | devices | groups | runs | mean error | bias | inside | memory (runs) | order of pairs (pairs) |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for (software, devices), all_runs in sorted(found.items()):
        runs = [row for row in all_runs if row["error"]]
        if not runs:
            continue
        mean, _, inside = means(runs)
        bias = 100 * statistics.mean(float(row["error"]) for row in runs)
        peaks = [abs(float(row["predicted_memory_bytes"]) / float(row["measured_memory_bytes"]) - 1)
                 for row in all_runs if row["measured_memory_bytes"]]
        pairs, right = order(runs)
        print(f"| {software.replace('~', 'all')} | {devices} | {len({row['group'] for row in runs})} | {len(runs)} "
              f"| {mean:.0f} % | {bias:+.0f} % | {inside:.0f} % "
              f"| {f'{100 * statistics.mean(peaks):.0f} % ({len(peaks)})' if peaks else ''} "
              f"| {f'{100 * right / pairs:.0f} % ({pairs})' if pairs >= 20 else ''} |")


def main():
    tables = sorted(str(path.relative_to(SOURCE)) for path in SOURCE.glob(f"{EVIDENCE}/tables/*.csv"))
    if not tables:
        print("there are no published tables")
        return 1
    accept = os.environ.get("DODONA_ACCEPT") == "1"
    if sys.argv[1] == "others":
        return others(accept)
    if sys.argv[1] == "observed":
        return observed(sys.argv[2:] or ["1", "3"])
    if sys.argv[1] == "classes":
        return classes()
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
