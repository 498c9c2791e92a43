"""measure.py SWITCH DODONA: a step of the embedding tables of bench.jsonl by dodona-calibrate-mpi, on two ranks of one host and
on two emulated hosts (tests/emulation/hosts.py), next to what `dodona tables` says of machines calibrated there: one-host.yaml and
two-hosts.yaml, written where they are not. Runs into measured.csv."""

import csv
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "tests/emulation"))
import hosts  # noqa: E402

RUNS = 5
PLACES = {"one-host": "in one host", "two-hosts": "between hosts of 1 Gb/s"}
COLUMNS = ("part", "where", "measured_s", "predicted_s")


def predicted(dodona, machine):
    """By part, as dodona-calibrate-mpi names them: additions to rows are part of the look-ups."""
    words = [dodona, "tables", "dlrm-bench", "--machine", machine, "--gpus", "2", "--batch", "2048", "--optimizer", "sgd",
             "--precision", "fp32", "--format", "json"]
    parts = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["parts_s"]
    return {"look-ups": parts["look-ups"], "exchange": parts["exchange"]}


def measure(network, dodona, place, folder):
    count = 1 if place == "one-host" else 2
    machine, records, case = FOLDER / f"{place}.yaml", folder / "records", folder / "case"
    launch = network.launcher(folder, 2 // count, count)
    if not machine.exists():
        network.run(0, [dodona, "calibrate", "--backend", "cpu,mpi", "--quick", "--threads", "1", "--name", place,
                        "--mpirun", shlex.join(map(str, launch)), "-o", machine], 600, hosts.AS_ROOT)
        machine.with_suffix(".records.jsonl").unlink()  # an interrupted calibration continues from there
    expected = predicted(dodona, machine)
    level = {} if place == "one-host" else {"level": "network", "ranks_per_node": 1}
    case.write_text(json.dumps({**json.loads((FOLDER / "bench.jsonl").read_text()), **level}) + "\n")
    program = pathlib.Path(dodona).parent / "calibrate/mpi/dodona-calibrate-mpi"
    for _ in range(RUNS):
        network.run(0, [*launch, program, "--most-seconds", "8", "--cases", case, "-o", records], 120, hosts.AS_ROOT)
        values = json.loads(records.read_text().splitlines()[-1])["values"]
        took = {"look-ups": values["lookups"] + values["updates"], "exchange": values["exchange"]}
        for part, time in [*took.items(), ("together", sum(took.values()))]:
            yield dict(zip(COLUMNS, (part, PLACES[place], f"{time:.4g}", f"{expected.get(part, sum(expected.values())):.4g}")))
        records.unlink()


def main():
    switch, dodona = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with (tempfile.TemporaryDirectory() as folder, hosts.Network(switch, rate=1e9, delay=2e-4) as network,
          open(FOLDER / "measured.csv", "w", newline="", encoding="utf-8") as record):
        lines = csv.DictWriter(record, COLUMNS, lineterminator="\n")
        lines.writeheader()
        for place in PLACES:
            lines.writerows(measure(network, dodona, place, pathlib.Path(folder)))
    return 0


hosts.main(main)
