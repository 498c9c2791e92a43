"""every_strategy.py PROGRAM SOURCE [--only NETWORK,...]: every built-in network is planned under every strategy of the software
that people train it with, on GPUs with memory enough, with every axis but those of data two ways.

What cannot run is in REFUSED below with what the answer says, and is a limit of the network or of the strategy; any other
refusal breaks the test, and so does a row of it that nothing meets. One network in TAKEN in a build; DODONA_FULL=1 takes all."""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DATA_AXES = {"data", "shard", "replicate"}
TAKEN = 12
IMAGES = ("alexnet*", "vgg*", "resnet*", "resnext*", "se-resnext*", "densenet*", "googlenet*", "inception*", "overfeat*", "ssd*",
          "cosmoflow*", "unet*", "ffn")

ENCODERS = ("bert*", "albert*", "vit*", "dinov*", "clip*")  # a class is read from one position, which no rank has a part of

CONTEXT = ("context-all-gather", "context-ring", "context-ulysses", "megatron-context", "megatron-ulysses", "megatron-moe")

# Networks, strategies, and what the answer says.
REFUSED = [
    (IMAGES, CONTEXT, "no layer can be split over axis context"),
    (ENCODERS, CONTEXT, "(flatten) cannot be split further"),
    (ENCODERS, ["hidden"], "no layer can be split over axis hidden"),
    (ENCODERS, ["spatial-3d"], "no layer can be split over axis depth"),
    (["vit*", "dinov3*"], ["spatial", "data+spatial", "spatial-2d"], "of its rule fails at layer patches (conv)"),
    (IMAGES, ["hidden"], "no layer can be split over axis hidden"),
    (IMAGES, ["megatron", "megatron-sequence"], "no layer can be split over axis tensor"),
    (IMAGES, ["spatial-3d"], "no layer can be split over axis depth"),
    (["ffn"], ["channel", "filter", "data+filter"], "cannot be split further"),  # an image of one channel
    (["gnmt*"], ["spatial", "data+spatial"], "no layer can be split over axis spatial"),
    (["gnmt*"], ["spatial-2d"], "no layer can be split over axis height"),
    (["gnmt*"], ["spatial-3d"], "no layer can be split over axis depth"),
    # Adaptive inputs: each size of embedding has the words of its own positions.
    (["transformer-xl-large"], CONTEXT, "layer embedding3 (linear) cannot be split further"),
]


def asked(program, source, words):
    environment = dict(os.environ, DODONA_DATA=source)
    run = subprocess.run([program, *words, "--format", "json"], capture_output=True, text=True, env=environment, check=False)
    return run.returncode, json.loads(run.stdout) if run.stdout.startswith("{") else None, run.stderr


def roomy_machine(source, folder):
    """A DGX H100 whose GPUs have memory for anything; its path."""
    hardware = pathlib.Path(source) / "hardware"
    device = (hardware / "devices" / "h100-sxm5-80gb.yaml").read_text(encoding="utf-8")
    (folder / "roomy.yaml").write_text(re.sub(r"value: [0-9.]+ GiB", "value: 900000 GiB", device, count=1), encoding="utf-8")
    cluster = (hardware / "clusters" / "dgx-h100.yaml").read_text(encoding="utf-8")
    machine = folder / "machine.yaml"
    machine.write_text(cluster.replace("device: h100-sxm5-80gb", "device: ./roomy.yaml"), encoding="utf-8")
    return str(machine)


def refusal(program, source, machine, network, framework, strategy, axes):
    """What an answer says why there is no plan; None where there is one."""
    fixed = [f"{axis}=2" for axis in axes if axis not in DATA_AXES]
    gpus = 2 ** len(fixed) * (1 if DATA_AXES.isdisjoint(axes) else 4)
    words = ["plan", network, "--machine", machine, "--gpus", str(max(gpus, 1)), "--strategy", strategy, "--software",
             framework] + (["--fixed", ",".join(fixed)] if fixed else [])
    code, answer, errors = asked(program, source, words)
    if code == 0 and answer["plans"]:
        return None
    reasons = [one["reason"] for one in answer["infeasible"]] if answer else []
    return "; ".join(reasons) or errors.strip() or f"exit {code}"


def is_refused(network, strategy, said):
    for number, (networks, strategies, reason) in enumerate(REFUSED):
        if any(fnmatch.fnmatch(network, one) for one in networks) and strategy in strategies and reason in said:
            return number
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    listed = asked(options.program, options.source, ["models"])[1]["models"]
    networks = [one["name"] for one in listed]
    full = os.environ.get("DODONA_FULL") == "1"
    if options.only:
        networks = options.only.split(",")
    elif not full:
        networks = networks[::TAKEN]
    axes = {one["name"]: one["axes"] for one in asked(options.program, options.source, ["strategies"])[1]["strategies"]}
    runs = {}
    folder = tempfile.TemporaryDirectory()
    machine = roomy_machine(options.source, pathlib.Path(folder.name))

    def questions(network):
        words = ["plan", network, "--machine", machine, "--gpus", "8", "--strategy", "data"]
        code, answer, errors = asked(options.program, options.source, words)
        if code != 0:
            return [(network, "data", "", f"{errors}{answer}")]
        framework = answer["plans"][0]["framework"]
        if framework not in runs:
            runs[framework] = asked(options.program, options.source, ["software", framework])[1]["runs"]
        strategies = [one for one in runs[framework] or axes if not one.endswith("-paradl")]
        return [(network, one, framework,
                 refusal(options.program, options.source, machine, network, framework, one, axes[one])) for one in strategies]

    met, broken, count = set(), [], 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=int(os.environ.get("DODONA_THREADS", "2"))) as pool:
        for answers in pool.map(questions, networks):
            for network, strategy, framework, said in answers:
                count += 1
                row = None if said is None else is_refused(network, strategy, said)
                if row is not None:
                    met.add(row)
                elif said is not None:
                    broken.append(f"{network}, {strategy} ({framework}): {said}")
    print(f"{count} questions about {len(networks)} networks")
    print("\n".join(broken))
    if full:
        unmet = [str(row) for number, row in enumerate(REFUSED) if number not in met]
        print("\n".join(["rows that nothing meets:"] + unmet if unmet else []))
        broken += unmet
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
