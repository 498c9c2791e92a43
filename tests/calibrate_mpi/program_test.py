"""dodona-calibrate-mpi among ranks of this host: PROGRAM. By hand, and as a back end. No time is asserted but its order."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
PROGRAM = sys.argv[1]
SETTINGS = {"pass": "time", "quick": True, "most_seconds": 0.05, "seed": 1}


def mpirun(ranks, words, text="", options=()):
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", *options, "-np", str(ranks), PROGRAM, *map(str, words)]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=150)


def served(ranks, cases, settings=SETTINGS):
    """Answers to cases, asked as dodona does."""
    done = mpirun(ranks, [], "".join(json.dumps(line) + "\n" for line in [settings, *cases]))
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def collective(name, size, ranks, algorithm="free", **more):
    return {"benchmark": "collective", "collective": name, "bytes": size, "ranks": ranks, "ranks_per_node": ranks,
            "level": "shared-memory", "groups": 1, "in_place": 0, "algorithm": algorithm, **more}


def check(holds, text):
    print(("ok   " if holds else "FAIL ") + text, flush=True)
    return bool(holds)


def by_hand(folder):
    """All that a quick run measures of four ranks."""
    records = pathlib.Path(folder, "records.jsonl")
    done = mpirun(4, ["--quick", "--most-seconds", 0.02, "-o", records])
    holds = check(done.returncode == 0, f"a quick run ends well: {done.returncode} {done.stderr[-300:]}")
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    facts = lines[0]["facts"]
    holds &= check((facts["ranks"], facts["hosts"], facts["ranks_per_host"]) == ("4", "1", "4") and facts["mpi"],
                   f"it says what it ran on: {facts}")
    failures = [line for line in lines if line["kind"] == "failure" and "what is left is noise" not in line["why"]]
    holds &= check(not failures, f"nothing fails but gaps that are less than noise: {failures}")
    measured = [line for line in lines if line["kind"] == "measurement"]
    times = [line["time"] for line in measured if line["case"].get("pattern") not in ("gap", "overhead")]  # differences
    holds &= check(all(0 < t["least"] <= t["first_quartile"] <= t["median"] <= t["third_quartile"] for t in times),
                   "times are positive and in order")
    benchmarks = {(line["case"]["benchmark"], line["case"].get("pattern"), line["case"].get("collective"),
                   line["case"].get("algorithm")) for line in measured}
    holds &= check(len(benchmarks) >= 12, f"every kind of case is among {len(measured)}")
    sends = {line["case"]["bytes"]: line["time"]["least"] for line in measured if
             line["case"].get("pattern") == "ping-pong"}
    holds &= check(sends[max(sends)] > sends[min(sends)], "a long message takes longer than a short one")
    beside = [line["values"] for line in measured if line["case"]["benchmark"] == "interference"]
    holds &= check(beside and all(each["slow_down"] > 0 and each["load_slow_down"] > 0 for each in beside),
                   "a collective beside computing has two factors")
    holds &= check(any(line["case"]["groups"] == 2 for line in measured), "two groups ran at once")
    return holds


def as_back_end():
    cases = [collective(name, 4800, ranks, "ring", in_place=place) for name in
             ("all-reduce", "reduce-scatter", "all-gather") for ranks in (2, 3) for place in (0, 1)]
    status, answers = served(3, cases)
    right = [answer["kind"] for answer in answers[1:]]
    holds = check(status == 0 and right == ["measurement"] * len(cases), f"rings give what the library gives: {answers}")
    tables = {"benchmark": "tables", "tables": 4, "rows": 1000, "width": 16, "lookups": 5, "samples": 32, "ranks": 2,
              "ranks_per_node": 2, "level": "shared-memory"}
    status, answers = served(2, [tables])
    parts = answers[-1].get("values", {})
    holds &= check(status == 0 and all(parts.get(part, 0) > 0 for part in ("lookups", "exchange", "updates")),
                   f"tables take time for each part: {answers[-1]}")
    asked = [({**tables, "tables": 3}, "3 tables and 32 samples are not shared evenly by 2 ranks"),
             ({**tables, "rows": 0}, "tables need rows"),
             (collective("all-reduce", 4095, 2), "no whole number of 4-byte elements for each of 2 ranks"),
             (collective("all-reduce", 4096, 4), "it needs 1 hosts with 4 ranks each; there are 1 with 2"),
             (collective("song", 4096, 2), 'unknown collective "song"'),
             (collective("broadcast", 4096, 2, "ring"), 'algorithm "ring" of broadcast'),
             ({"benchmark": "matmul", "m": 4}, '"matmul" is nothing that MPI measures'),
             ({"benchmark": "send", "bytes": 8, "level": "shared-memory", "pattern": "song"}, 'unknown pattern "song"')]
    status, answers = served(2, [*(case for case, _ in asked), collective("broadcast", 4096, 2)])
    for (case, said), answer in zip(asked, answers[1:]):
        holds &= check(answer["kind"] == "failure" and said in answer["why"], f"refused: {answer['why']}")
    holds &= check(status == 0 and answers[-1]["kind"] == "measurement", "after all of that it still measures")
    return holds


def refusals(folder):
    status, answers = served(1, [])
    holds = check(status == 3 and "single rank" in answers[0]["why"], f"alone: {answers}")
    status, answers = served(2, [], {**SETTINGS, "pass": "names"})
    holds &= check(status == 3 and answers[0]["kind"] == "lacking", f"another pass: {answers}")
    for words, said in ((["--quack"], "unknown option --quack"), (["-o"], "-o needs a value"),
                        (["--seed", "x"], 'not "x"'), (["--cases", "nowhere"], "can't read nowhere"),
                        (["-o", pathlib.Path(folder, "no", "where")], "can't write")):
        done = mpirun(2, words)
        holds &= check(done.returncode == 2 and said in done.stderr, f"{words}: {done.returncode} {done.stderr[:120]}")
    done = mpirun(2, ["--help"])
    holds &= check(done.returncode == 0 and done.stdout.startswith("usage: mpirun"), "--help")
    listed = pathlib.Path(folder, "cases.jsonl")
    listed.write_text(json.dumps(collective("all-to-all", 4096, 2)) + "\n")
    done = mpirun(2, ["--cases", listed])
    kinds = [json.loads(line)["kind"] for line in done.stdout.splitlines()]
    return holds & check(kinds == ["environment", "measurement"], f"cases of a file: {kinds}")


def forced(folder):
    """Open MPI told which algorithm to take; other libraries have no such words."""
    listed = pathlib.Path(folder, "forced.jsonl")
    listed.write_text("".join(json.dumps(collective(name, 4096, 2)) + "\n" for name in ("all-reduce", "all-gather")))
    done = mpirun(2, ["--cases", listed], options=["--mca", "coll_tuned_use_dynamic_rules", "1",
                                                   "--mca", "coll_tuned_allreduce_algorithm", "4"])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if "Open MPI" not in lines[0]["facts"]["mpi"]:
        return True
    words = {line["case"]["collective"]: line.get("words", {}).get("library_algorithm") for line in lines[1:]}
    return check(words == {"all-reduce": "4", "all-gather": None}, f"what is forced is told: {words}")


def main():
    if shutil.which("mpirun") is None:
        print("skipped: there is no mpirun")
        return SKIP
    tried = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2", "true"], capture_output=True,
                           text=True, timeout=60)
    if tried.returncode != 0:
        print(f"skipped: mpirun starts nothing here: {tried.stderr[:300]}")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        results = [by_hand(folder), as_back_end(), refusals(folder), forced(folder)]
    return 0 if all(results) else 1


sys.exit(main())
