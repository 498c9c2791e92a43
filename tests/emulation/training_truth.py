"""Predicted against measured training, by another framework, on hosts that nobody described: DODONA SWITCH [options].

1. `dodona calibrate` measures this CPU with the kernels of the networks;
2. on hosts of an emulated network, at two speeds, `dodona calibrate` measures the links with MPI, and two networks of
   other sizes say what PyTorch adds (framework.py);
3. PyTorch trains the networks there: on one host, data parallel on two, as a pipeline of two stages;
4. `dodona predict` says what each step takes. A step that is off by more than the tolerance fails the test, and so does
   a fastest plan that is not the measured one (of plans whose steps differ by more than the tolerance).

Nothing of a prediction is fitted to a step that it is compared with. All steps are measured in turn, several times, and
the quickest of each counts; where the second quickest is slower by more than --noise the machine is too noisy to judge,
and the test skips (77).
"""

import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import framework
import hosts

HERE = pathlib.Path(__file__).parent
BATCH, MICROBATCH = 32, 8
NETWORKS = ("resnet", "vgg", "lstm")
RATES = (2e8, 1e9)  # bits/s
DELAY = 50e-6  # seconds
# Messages go at once, as gloo sends them. Open MPI's rendezvous, from 64 KiB on, makes large exchanges in both directions
# take half as long again: its acknowledgements queue behind data.
PROTOCOL = ["--mca", "btl_tcp_eager_limit", str(8 << 20)]
# glibc keeps what is freed: else it hands large tensors back, and every step pays for touching new pages, or not,
# as the order of their sizes has it: up to a fifth of a step. PyTorch's own guide to performance tells CPU users so
# (pytorch.org/tutorials/recipes/recipes/tuning_guide.html: jemalloc, tcmalloc).
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": str(4 << 30), "MALLOC_TRIM_THRESHOLD_": str(16 << 30),
             "MALLOC_TOP_PAD_": str(64 << 20)}
STAGES = {"resnet": "2,4", "vgg": "1,2", "lstm": "1,1"}  # blocks of the model files; networks.py cuts there
TURNS = 3  # of measuring all steps: other programs on the machine make some slower, never quicker
TRAINED = {"serial": [], "data": ["--gpus", 2, "--strategy", "data", "--overlap", "none"],
           "pipeline": ["--gpus", 2, "--strategy", "pipeline", "--mesh", "pipeline=2", "--microbatch", MICROBATCH,
                        "--schedule", "gpipe", "--overlap", "none"]}


class Bench:
    """The programs and files of one run."""

    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.python = options.python
        self.torch_kernels = HERE.parents[1] / "bindings/python/dodona/torch_kernels.py"
        self.batch, self.microbatch, self.turns = BATCH, MICROBATCH, TURNS
        self.environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **ALLOCATOR}

    def model(self, name):
        return HERE / "models" / f"{name}.yaml"

    def dodona(self, *words):
        done = subprocess.run([str(word) for word in [self.options.dodona, *words]], capture_output=True, text=True,
                              timeout=1800)
        if done.returncode == 3:
            raise hosts.Skip(done.stderr.strip())
        if done.returncode != 0:
            raise hosts.Failed(f"dodona {shlex.join(map(str, words))}\n{done.stdout}{done.stderr}")
        return done.stdout

    def kernels(self):
        """The words of `dodona calibrate` that choose what kernels are measured with."""
        if self.options.kernels == "library":
            return ["--backend", "cpu"]
        return ["--program", f"{self.python} {self.torch_kernels}"]

    def quick(self):
        return ["--quick"] if self.options.quick else []

    def train(self, network, name, plan, steps, batch=BATCH):
        """Seconds of a step, the lower quartile after a warm-up, and the same of the processor's time of rank 0."""
        words = [self.python, HERE / "train.py", name, "--plan", plan, "--batch", batch,
                 "--microbatches", batch // self.microbatch, "--steps", steps]
        alone = plan in ("serial", "update")
        printed = (network.run(0, words, 300, self.environment) if alone else
                   network.ranks(words, 1, 300, self.environment)[0])
        told = json.loads(printed)
        if not re.search(rf"^published: .*parameters: {told['parameters']}\b", self.model(name).read_text(), re.M):
            raise hosts.Failed(f"{name} has {told['parameters']} parameters in PyTorch; its model file says otherwise")
        steps, busy = (sorted(told[what][3:]) for what in ("steps", "cpu"))
        return steps[len(steps) // 4], busy[len(busy) // 4]

    def predict(self, name, machine, plan, framework_file, batch=BATCH):
        words = ["predict", self.model(name), "--machine", machine, "--batch", batch, "--precision", "fp32",
                 "--optimizer", "momentum", "--software", framework_file, "--format", "json"]
        where = TRAINED[plan] or ["--gpus", 1, "--strategy", "serial", "--overlap", "none"]
        stages = ["--cut", STAGES[name]] if plan == "pipeline" else []
        return json.loads(self.dodona(*words, *where, *stages))["plan"]


def require(options):
    """Skips where something that the test needs is missing."""
    for words, what in (([options.python, "-c", "import torch, torch.distributed as d; assert d.is_gloo_available()"],
                         "PyTorch with gloo"), ([hosts.needed("mpirun"), "--version"], "Open MPI")):
        if subprocess.run(words, capture_output=True, timeout=60).returncode != 0:
            raise hosts.Skip(f"{what} is not here")
    if not pathlib.Path(options.dodona).is_file():
        raise hosts.Skip(f"there is no dodona at {options.dodona}")


def calibrate_kernels(bench, names, samples):
    """Adds to the machine file of the CPU and its records."""
    models = [word for name in names for word in ("--model", bench.model(name))]
    bench.dodona("calibrate", *bench.kernels(), *bench.quick(), "--threads", 1, *models, "--microbatch",
                 ",".join(str(each) for each in samples), "-o", bench.folder / "compute.yaml")


def calibrated_links(bench, network, rate):
    """The machine file of this network, and of the CPU that was measured before."""
    machine = bench.folder / f"network-{rate:g}.yaml"
    shutil.copy(bench.folder / "compute.records.jsonl", machine.with_suffix(".records.jsonl"))  # goes on from there
    launcher = bench.folder / "launcher"
    launcher.mkdir(exist_ok=True)
    words = [*network.launcher(launcher, 1, len(network.names)), *PROTOCOL]
    network.run(0, [bench.options.dodona, "calibrate", "--backend", "mpi", "--mpirun", " ".join(words), *bench.quick(),
                    "--threads", 1, "-o", machine], 1800,
                hosts.AS_ROOT)
    return machine


def measured_and_predicted(bench):
    """A row for each network, plan and rate."""
    rows, steps = [], bench.options.steps
    calibrate_kernels(bench, NETWORKS, (BATCH, BATCH // 2, MICROBATCH))
    calibrate_kernels(bench, framework.PROBES, (BATCH, MICROBATCH))
    for rate in RATES:
        with hosts.Network(bench.options.switch, rate=rate, delay=DELAY) as network:
            machine = calibrated_links(bench, network, rate)
            added = framework.measured(bench, network, machine)
            print(f"PyTorch at {rate / 1e6:g} Mb/s: {added}", flush=True)
            added = framework.written(bench, added)
            for turn in range(TURNS):
                for name in NETWORKS:
                    for plan in TRAINED:
                        if turn == 0:
                            rows.append({"network": name, "plan": plan, "rate": rate, "steps": [],
                                         "predicted": bench.predict(name, machine, plan, added)})
                        row = next(r for r in rows if (r["network"], r["plan"], r["rate"]) == (name, plan, rate))
                        row["steps"].append(bench.train(network, name, plan, steps)[0])
        print(f"switch: {network.statistics}", flush=True)
    (bench.folder / "rows.json").write_text(json.dumps(rows, indent=1))
    return rows


def judged(rows, options):
    """Prints all, returns the exit status."""
    noise = wrong = 0
    print(f"{'network':8}{'plan':10}{'Mb/s':>6}{'measured':>10}{'again':>10}{'predicted':>11}{'error':>8}   parts")
    for row in rows:
        step = row["predicted"]["step_time_s"]["value"]
        row["measured"], again = sorted(row["steps"])[:2]
        row["step"] = step
        error = step / row["measured"] - 1
        noise = max(noise, again / row["measured"] - 1)
        wrong += abs(error) > options.tolerance
        parts = ", ".join(f"{name} {value * 1e3:.1f}" for name, value in row["predicted"]["time_s"].items()
                          if value > 5e-4)
        print(f"{row['network']:8}{row['plan']:10}{row['rate'] / 1e6:6.0f}{row['measured'] * 1e3:10.1f}"
              f"{again * 1e3:10.1f}{step * 1e3:11.1f}{error:+8.1%}   {parts}")
    for name in NETWORKS:
        for rate in RATES:
            of = [row for row in rows if (row["network"], row["rate"]) == (name, rate)]
            best, named = min(of, key=lambda r: r["measured"]), min(of, key=lambda r: r["step"])
            right = named["measured"] <= best["measured"] * (1 + options.tolerance)
            wrong += not right
            print(f"{name} at {rate / 1e6:g} Mb/s: fastest {best['plan']}, predicted {named['plan']}"
                  + ("" if right else ": WRONG"))
    print(f"{wrong} wrong of {len(rows)} steps and {len(NETWORKS) * len(RATES)} choices; noise {noise:.1%}")
    if noise > options.noise:
        raise hosts.Skip(f"the same step differed by {noise:.0%}: too noisy to judge")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dodona")
    parser.add_argument("switch")
    parser.add_argument("--python", default="/usr/bin/python3", help="one that has torch")
    parser.add_argument("--kernels", choices=["library", "framework"], default="library",
                        help="measure those of dodona's back end for CPUs, or PyTorch's own")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help="calibrate roughly")
    parser.add_argument("--tolerance", type=float, default=0.10)
    parser.add_argument("--noise", type=float, default=0.08)
    parser.add_argument("--keep", help="a folder for all files")
    options = parser.parse_args()
    require(options)
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
        return judged(measured_and_predicted(Bench(options, options.keep)), options)
    with tempfile.TemporaryDirectory() as folder:
        return judged(measured_and_predicted(Bench(options, folder)), options)


if __name__ == "__main__":
    hosts.main(main)
