"""drawn_questions.py PROGRAM SOURCE [--questions N] [--seed N] [--only K]: drawn questions, each asked of several commands, and
asked again with a machine that is better in one respect.

One plan has one figure, whichever command says it: plan, predict of the saved plan, compare, size, report, goodput,
simulate, and predict of the launch script that was exported; however many plans are listed. More memory, a faster device and faster links never make the
answer slower; what fits on N GPUs fits on 2 N. The same questions every time; DODONA_FULL=1 asks more of them."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

EQUAL = 0.02   # search::kEqualTime: the simplest of plans that are as fast as that comes first
ROUNDING = 1e-9
FEW, MANY = 300, 10_000  # FEW takes about 75 s of one core

MODELS = ["resnet50", "vgg16", "alexnet", "unet2d-medical", "bert-large", "gpt2", "gpt2-medium", "llama-2-7b", "llama-3.1-8b",
          "mixtral-8x7b", "vit-large", "dlrm-bench", "transformer-big", "mpt-1b", "densenet161"]
MACHINES = ["abci", "dgx-a100-80gb", "dgx-h100", "workstation", "l4-x8", "mi300x-8x400", "tpu-v5e-256", "gaudi2-x8",
            "jean-zay-a100", "rtx-4090-x8", "perlmutter", "dgx-b200"]
STRATEGIES = [None, "data,zero1,zero3", "data", "zero2", "zero3", "hybrid-shard", "pipeline", "megatron",
              "megatron-sequence"]
LAUNCHERS = {"megatron-2024": "megatron", "megatron-2026": "megatron", "torchtitan": "torchtitan", "deepspeed": "deepspeed"}


class Asked:
    """A question, and what breaks of it."""

    def __init__(self, program, source, number, seed):
        self.program = program
        self.environment = dict(os.environ, DODONA_DATA=source)
        draw = random.Random(f"{seed} {number}")
        self.name = f"question {number}"
        self.model = draw.choice(MODELS)
        self.machine = draw.choice(MACHINES)
        self.gpus = draw.choice([1, 2, 4, 8] if self.machine.endswith(("x8", "workstation")) else [1, 2, 4, 8, 16, 32, 64])
        if self.machine == "workstation":
            self.gpus = min(self.gpus, 4)
        self.batch = 2 * self.gpus * draw.choice([1, 2, 4, 16])
        self.strategy = draw.choice(STRATEGIES)
        self.precision = draw.choice([None, None, "fp32"]) if self.machine not in ("gaudi2-x8", "tpu-v5e-256") else None
        self.optimizer = draw.choice([None, None, "sgd", "adam"])
        self.adjusted = draw.choice(["memory=2", "peak=2", "memory_bandwidth=2", "kernel_start=0.5", "peak=2,memory_bandwidth=2",
                                     "bandwidth=2"])
        if self.adjusted == "kernel_start=0.5" and self.machine in ("gaudi2-x8", "tpu-v5e-256"):  # not measured
            self.adjusted = "memory=2"
        self.command = draw.choice(["size", "report", "compare", "goodput", "simulate", "export"])
        self.top = draw.choice(["2", "5", "40"])
        self.faults = []

    def words(self, gpus=None):
        words = ["--machine", self.machine, "--batch", str(self.batch)]
        for option, value in (("--precision", self.precision), ("--optimizer", self.optimizer)):
            words += [option, value] if value else []
        return words + ["--gpus", str(gpus or self.gpus)]

    def fault(self, why, *values):
        self.faults.append(f"{self.name}: {' '.join(self.shown)}: {why} {' '.join(map(str, values))}")

    def run(self, command, *words, codes=(0, 1)):
        """The JSON of an answer; empty where it is refused, which only `codes` allow."""
        done = subprocess.run([self.program, command, *words, "--format", "json", "--threads", "1"]
                              if command in ("plan", "size", "report", "compare") else
                              [self.program, command, *words, "--format", "json"],
                              env=self.environment, cwd=self.folder, capture_output=True, text=True)
        if done.returncode not in codes:
            self.fault(f"{command} {' '.join(words)} exits with {done.returncode}:", done.stderr.strip())
        return json.loads(done.stdout) if done.returncode in (0, 1) and done.stdout else {}

    def plans(self, *words, gpus=None, top="5"):
        strategy = ["--strategy", self.strategy] if self.strategy else []
        return self.run("plan", self.model, *self.words(gpus), *strategy, "--top", top, *words).get("plans") or []

    def planned(self, *words, gpus=None, top="1"):
        """The first plan; none where nothing fits."""
        return (self.plans(*words, gpus=gpus, top=top) or [None])[0]

    def expect_same(self, first, other, who):
        if other is None:
            return
        for key in ("step_time_s", "memory_total_bytes", "samples_per_s", "mfu", "mesh", "microbatch"):
            a, b = first.get(key), other.get(key)
            if key == "mesh":
                a, b = written_mesh(a), written_mesh(b)
            if key in other and a != b:
                self.fault(f"{key} of plan is {a}, of {who}", b)

    def check(self, folder):
        self.folder = folder
        self.shown = [self.model, *self.words(), self.strategy or ""]
        first = self.planned("--save", "best.yaml")
        if first is None:
            self.check_none()
            return
        if not first["step_time_s"]["lo"] <= first["step_time_s"]["value"] <= first["step_time_s"]["hi"]:
            self.fault("the step is outside of its interval", first["step_time_s"])
        job = [self.model, "--machine", self.machine, "--gpus", str(self.gpus), "--batch", str(self.batch)]
        self.expect_same(first, self.run("predict", *job, "--plan", "best.yaml").get("plan"), "predict")
        self.expect_same(first, self.planned(top=self.top), f"plan --top {self.top}")
        getattr(self, self.command)(first, job)
        self.check_better(first)
        self.check_more_gpus(first)

    def check_none(self):
        """What does not fit: nor does the same in less memory."""
        if self.planned("--adjust", "memory=0.7") is not None:
            self.fault("nothing fits, but in 0.7 times the memory something does")

    def check_better(self, first):
        words = [word for one in self.adjusted.split(",") for word in ("--adjust", one)]
        if self.adjusted == "bandwidth=2":
            level = self.outermost()
            words = ["--adjust", f"bandwidth.{level}=2"] if level else []
        # The fastest: one beyond what its software was fitted to is first only where it gains more than it may be off.
        then = min(self.plans(*words), key=lambda plan: plan["step_time_s"]["value"], default=None)
        if then is None:
            self.fault(f"with {self.adjusted} nothing fits")
        elif then["step_time_s"]["value"] > (1 + EQUAL) * (1 + ROUNDING) * first["step_time_s"]["value"]:
            self.fault(f"with {self.adjusted} a step takes longer:", first["step_time_s"]["value"], then["step_time_s"]["value"])

    def outermost(self):
        machine = self.run("machines", self.machine)
        levels = machine.get("levels") or []
        return levels[0]["name"] if levels else None

    def check_more_gpus(self, first):
        """Twice the GPUs of the same job, each with half of the samples."""
        if self.strategy in (None, "data", "zero2", "zero3", "data,zero1,zero3") and first["data_ranks"] == self.gpus and \
                2 * self.gpus <= (8 if "x8" in self.machine and "x400" not in self.machine else 128) and \
                self.machine != "workstation" and self.planned(gpus=2 * self.gpus) is None:
            self.fault("twice the GPUs do not hold it")

    def size(self, first, _):
        strategy = ["--strategy", self.strategy] if self.strategy else []
        answer = self.run("size", self.model, *self.words(), *strategy)
        for machine in answer.get("machines", []):
            self.expect_same(first, machine["plan"], "size")

    def report(self, first, _):
        strategy = ["--strategy", self.strategy] if self.strategy else []
        answer = self.run("report", self.model, *self.words(), *strategy)
        found = [one for one in plans_in(answer) if one.get("rank") == 1 and one.get("batch") == self.batch]
        for plan in found[:1]:
            self.expect_same(first, plan, "report")

    def compare(self, first, _):
        answer = self.run("compare", "best.yaml", "best.yaml", "--model", self.model, "--machine", self.machine)
        for plan in plans_in(answer)[:1]:
            self.expect_same(first, plan, "compare")

    def goodput(self, first, job):
        answer = self.run("goodput", *job, "--plan", "best.yaml", "--samples", "1e6", "--storage-write", "2GB/s")
        for plan in plans_in(answer)[:1]:
            self.expect_same(first, plan, "goodput")

    def simulate(self, first, job):
        answer = self.run("simulate", *job, "--plan", "best.yaml")
        self.expect_same(first, answer.get("plan"), "simulate")

    def export(self, first, job):
        launcher = LAUNCHERS.get(first["framework"])
        if launcher is None:
            return
        done = subprocess.run([self.program, "predict", *job, "--plan", "best.yaml", "--export", launcher],
                              env=self.environment, cwd=self.folder, capture_output=True, text=True)
        if done.returncode == 0:
            name = "script." + {"megatron": "sh", "torchtitan": "toml", "deepspeed": "json"}[launcher]
            pathlib.Path(self.folder, name).write_text(done.stdout)
            # Launchers leave the optimizer to the user.
            optimizer = ["--optimizer", self.optimizer] if self.optimizer else []
            answer = self.run("predict", *job, "--from", name, *optimizer, codes=(0, 1, 2))
            if answer.get("plan", {}).get("framework") == first["framework"]:
                self.expect_same(first, answer["plan"], f"predict --from {name}")


def written_mesh(mesh):
    """A mesh as scripts write it: they have axes of one rank, too, and states that all ranks share have them all."""
    several = {axis: size for axis, size in mesh.items() if size > 1}
    return {"data": several["shard"]} if several.keys() == {"shard"} else several


def plans_in(tree):
    """All plans of an answer, in its order."""
    if isinstance(tree, dict):
        its_own = [tree] if "step_time_s" in tree and "mesh" in tree else []
        return its_own + [plan for value in tree.values() for plan in plans_in(value)]
    return [plan for value in tree for plan in plans_in(value)] if isinstance(tree, list) else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("--questions", type=int, default=MANY if os.environ.get("DODONA_FULL") == "1" else FEW)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    asked = parser.parse_args()

    def faults_of(number):
        with tempfile.TemporaryDirectory() as folder:
            one = Asked(os.path.abspath(asked.program), os.path.abspath(asked.source), number, asked.seed)
            one.check(folder)
            return one.faults

    numbers = range(asked.questions) if asked.only is None else [asked.only]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for some in pool.map(faults_of, numbers) for fault in some]
    for fault in faults:
        print(fault)
    print(f"{len(numbers)} questions, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
