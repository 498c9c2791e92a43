"""Winograd's transforms as measured beside their formula, by layer, as comma-separated values.

    python3 compare.py -o measured.csv NETWORK,MACHINE.yaml,OTHER.yaml,SAMPLES,... ...

MACHINE.yaml was calibrated with the network and so many samples, OTHER.yaml with another network: what it says of this
one's layers is the formula times how far it is off in that network's. The formula alone is what `dodona largest` takes
from a copy of the machine without its `convolutions`. Layers of equal shapes are one row.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import tempfile

COLUMNS = ["network", "samples", "layer", "direct_s", "winograd_s", "formula_s", "scaled_s", "workspace_bytes",
           "formula_workspace_bytes"]


def without_convolutions(machine):
    """The text of a machine's file without what was measured by algorithm."""
    lines, skipped = [], False
    with open(machine) as file:
        for line in file:
            if re.match(r" {0,3}\S", line):
                skipped = line.startswith("  convolutions:")
            if not skipped:
                lines.append(line)
    return "".join(lines)


def algorithms(network, machine, samples):
    """Layer -> algorithm -> what `dodona largest` knows of it."""
    words = ["dodona", "largest", network, "batch", "--machine", machine, "--gpus", "1", "--precision", "fp32",
             "--strategy", "data", "--fixed", "recompute=none", "--convolutions", "each", "--upto", str(samples),
             "--format", "json"]
    answer = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    (batch,) = (one for one in answer["convolutions"]["batches"] if one["batch"] == samples)
    return {layer["layer"]: {one["algorithm"]: one for one in layer["possible"]} for layer in batch["layers"]}


def rows(network, machine, other, samples):
    with tempfile.TemporaryDirectory() as folder:
        bare = os.path.join(folder, "bare.yaml")
        with open(bare, "w") as file:
            file.write(without_convolutions(machine))
        measured, formula, scaled = (algorithms(network, of, samples) for of in (machine, bare, other))
    seen = set()
    for layer, known in measured.items():
        if "winograd" not in known:
            continue
        assert known["winograd"]["evidence"] == "measured" and scaled[layer]["winograd"]["evidence"] == "fitted", layer
        row = [known["implicit-gemm"]["time_s"], known["winograd"]["time_s"], formula[layer]["winograd"]["time_s"],
               scaled[layer]["winograd"]["time_s"], known["winograd"]["workspace_bytes"],
               formula[layer]["winograd"]["workspace_bytes"]]
        if tuple(row) not in seen:
            seen.add(tuple(row))
            yield [network, samples, layer] + [f"{each:.6g}" for each in row]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("networks", nargs="+")
    asked = parser.parse_args()
    with open(asked.output, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for one in asked.networks:
            network, machine, other, *samples = one.split(",")
            for each in samples:
                table.writerows(rows(network, machine, other, int(each)))


main()
