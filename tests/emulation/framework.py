"""What PyTorch adds to kernels and links, as a framework file, measured apart from any network that is predicted.

Kernels: the operators of models/probe.yaml and models/cells.yaml as PyTorch runs them (torch_kernels.py) over the same
cases as dodona's back end for CPUs measured them, geometric means by kind. Updates and collectives: what PyTorch takes
for those of probe.yaml's weights over what `dodona predict` says.
"""

import json
import math

import hosts

PROBES = {"probe": 12, "cells": 20}  # samples
KINDS = {"convolution": "convolution", "matmul": "matmul", "recurrent": "recurrent", "operator": "stream"}


def cases(path):
    """Measured seconds by case."""
    found = {}
    for line in path.read_text().splitlines():
        record = json.loads(line)
        if record["kind"] == "measurement" and "time" in record:
            case = {name: value for name, value in record["case"].items() if name != "threads"}
            found[json.dumps(case, sort_keys=True)] = record["time"]["least"]
    return found


def kernels(bench):
    """Parameter -> how much longer PyTorch's operators take than the library's kernels."""
    records = {}
    for who, words in (("library", ["--backend", "cpu"]),
                       ("framework", ["--program", f"{bench.python} {bench.torch_kernels}"])):
        for name, samples in PROBES.items():
            out = bench.folder / f"{name}-{who}.yaml"
            bench.dodona("calibrate", *words, *bench.quick(), "--threads", 1, "--model", bench.model(name),
                         "--microbatch", samples, "-o", out)
            records[name, who] = cases(out.with_suffix(".records.jsonl"))
    ratios = {}
    for name in PROBES:
        library, framework = records[name, "library"], records[name, "framework"]
        for case in sorted(library.keys() & framework.keys()):
            kind = KINDS.get(json.loads(case)["benchmark"])
            if kind and library[case] > 0 and framework[case] > 0:
                ratios.setdefault(kind, []).append(math.log(framework[case] / library[case]))
    if set(ratios) != set(KINDS.values()):
        raise hosts.Failed(f"PyTorch and the library have cases in common of {sorted(ratios)} only")
    return {kind: math.exp(sum(logs) / len(logs)) for kind, logs in ratios.items()}


def write(bench, network, machine, added, rate):
    """A framework file for this network."""
    none = bench.folder / "none.yaml"
    none.write_text('framework: none-of-its-own\nsource: "nothing added"\nparameters: {}\n')
    predicted = bench.predict("probe", machine, "data", none)["time_s"]
    parameters = dict(added)
    parameters["optimizer"] = bench.train(network, "probe", "update", 40) / predicted["optimizer"]
    parameters["collective"] = bench.train(network, "probe", "reduce", 20) / predicted["gradients"]
    lines = ["framework: pytorch-on-cpu", 'source: "measured: tests/emulation/framework.py"', "parameters:"]
    lines += [f'  {name}: {{value: {value:.4g}, source: "measured with models/probe.yaml and models/cells.yaml"}}'
              for name, value in sorted(parameters.items())]
    print(f"PyTorch at {rate / 1e6:g} Mb/s adds: " + ", ".join(f"{n} {v:.2f}" for n, v in sorted(parameters.items())))
    path = bench.folder / f"framework-{rate:g}.yaml"
    path.write_text("\n".join(lines) + "\n")
    return path
