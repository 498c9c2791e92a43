"""Times inference with PyTorch on every setting of inter-op and intra-op threads.

    python3 measure.py -o measured.csv [--most 4] [--rounds 5] [--passes 40] [NETWORK ...]

Each setting runs in a process of its own, since the number of inter-op threads can be set only once; rounds go over all
settings in an order drawn anew, so that what else the machine does meets all of them alike. Of each eight passes in a
row the quickest counts, so that a machine that others use, too, can be measured; a line of the file has the median and
the quartiles of these. Operators that do not depend on each other are forked as tasks of
TorchScript, which the inter-op threads run; the thread that starts a pass only waits.
"""

import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import sys
import time

WARM_UP = 3  # passes that are not counted
PAUSE = 0.02  # s before each pass: who has slept is let onto a shared core at once, and keeps it for some milliseconds
OF = 8  # passes, of which the quickest counts


def networks():
    """Name -> a function of no arguments that runs one pass."""
    import torch

    import networks as written

    torch.manual_seed(1)
    made = {}
    for name, (make, inputs) in written.NETWORKS.items():
        module = torch.jit.script(make().eval())
        arguments = inputs()
        made[name] = lambda module=module, arguments=arguments: module(*arguments)
    return made


def child(names, inter, intra, passes):
    """Prints the times of passes of each network, in microseconds."""
    import torch

    torch.set_num_interop_threads(inter)
    torch.set_num_threads(intra)
    times = {}
    with torch.inference_mode():
        made = networks()
        for name in names or made:
            run = made[name]
            for _ in range(WARM_UP):
                run()
            taken = []
            for _ in range(passes):
                time.sleep(PAUSE)
                start = time.monotonic()
                run()
                taken.append(round(1e6 * (time.monotonic() - start), 1))
            times[name] = taken
    print(json.dumps(times), flush=True)
    os._exit(0)  # PyTorch 1.13 may abort while it ends its inter-op threads


def measured(names, inter, intra, passes):
    environment = {**os.environ, "OMP_NUM_THREADS": str(intra), "OPENBLAS_NUM_THREADS": str(intra)}
    command = [sys.executable, __file__, "--child", f"{inter},{intra}", "--passes", str(passes), *names]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def write(path, times):
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["network", "workers", "threads", "passes", "lower_s", "median_s", "upper_s"])
        for (name, inter, intra), rounds in sorted(times.items()):
            passes = [each for taken in rounds for each in taken]
            quickest = [min(passes[i:i + OF]) for i in range(0, len(passes), OF)]
            quartiles = statistics.quantiles(quickest, n=4) if len(quickest) > 1 else quickest * 3
            rows.writerow([name, inter, intra, len(passes)] + [f"{1e-6 * each:.6f}" for each in quartiles])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*")
    parser.add_argument("-o", "--output", default="measured.csv")
    parser.add_argument("--most", type=int, default=4, help="inter-op and intra-op threads")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", type=int, default=40, help="of each network, setting and round")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        inter, intra = (int(each) for each in asked.child.split(","))
        child(asked.networks, inter, intra, asked.passes)
        return
    settings = [(k, n) for k in range(1, asked.most + 1) for n in range(1, asked.most + 1)]
    draw = random.Random(1)
    times = {}
    for number in range(asked.rounds):
        draw.shuffle(settings)
        for inter, intra in settings:
            for name, taken in measured(asked.networks, inter, intra, asked.passes).items():
                times.setdefault((name, inter, intra), []).append(taken)
        write(asked.output, times)
        print(f"round {number + 1} of {asked.rounds}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)


if __name__ == "__main__":
    main()
