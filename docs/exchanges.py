"""exchanges.py: writes the tables of docs/exchanges.md from what `dodona predict --exchange` answers.

A test holds that the page shows today's answers; DODONA_ACCEPT=1 writes them anew. The program is $DODONA_PROGRAM."""

import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
PAGE = FOLDER / "exchanges.md"
BEGIN, PUBLISHED, END = "<!-- table: exchanges.py -->\n", "<!-- table: published -->\n", "<!-- end -->\n"
MODELS = {"resnet50": "1024", "gpt2": "64"}
MACHINES = {"10 GbE": str(FOLDER / "ten-gigabit.yaml"), "InfiniBand": "abci", "NVLink": "dgx-2"}


def asked(words):
    done = subprocess.run([os.environ["DODONA_PROGRAM"], "predict", *words.split(), "--format", "json"], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def answer(model, batch, machine):
    return asked(f"{model} --machine {machine} --gpus 16 --batch {batch} --strategy data --exchange all")


def step(job, exchange):
    return asked(f"{job} --exchange {exchange}")["exchanges"][0]["step_time_s"]


def speed_up(model, batch, nodes):
    """Over one node, by each strategy and exchange."""
    job = f"{model} --machine cori-haswell --software none --precision fp32 --batch {batch} --strategy "
    alone = asked(job + "data --gpus 1")["plan"]["step_time_s"]["value"]
    times = {(strategy, exchange): f"{alone / step(f'{job}{strategy} --gpus {nodes}', exchange):.0f} x"
             for strategy, exchange in (("one-weird-trick", "mlsl-priority"), ("data", "mlsl-priority"), ("data", "mlsl-fifo"))}
    hybrid, data, fifo = times.values()
    return f"{hybrid} with `one-weird-trick`, {data} by data alone, both with `mlsl-priority`; {fifo} with `mlsl-fifo`"


def hierarchical(job):
    made = asked(f"{job} --machine tencent-v100-25gbe --gpus 128 --strategy data --exchange hitop-k")
    return f"{made['step_time_s'] / made['exchanges'][0]['step_time_s']:.2f} x with `hitop-k`"


def efficiency(nodes, exchange):
    job = "resnet50 --machine zenith --software none --precision fp32 --strategy data "
    alone = asked(f"{job} --gpus 1 --batch 26")["plan"]["step_time_s"]["value"]
    return f"{100 * alone / step(f'{job} --gpus {nodes} --batch {26 * nodes}', exchange):.1f}"


def published():
    das, shi = "Das et al., arXiv:1602.06709, abstract", "Shi et al., arXiv:2010.10458"
    rows = [(f"VGG-A, 512 samples on 128 nodes against one ({das})", "90 x", speed_up("vgg-a", 512, 128)),
            (f"VGG-A, 256 samples on 64 nodes ({das})", "53 x", speed_up("vgg-a", 256, 64)),
            (f"OverFeat-FAST, 256 samples on 64 nodes ({das})", "42 x", speed_up("overfeat-fast", 256, 64)),
            (f"ResNet-50 on 16 x 8 V100, 25 Gb/s, hierarchical top-k against all-reduce ({shi})", "1.25 to 1.40 x", hierarchical("resnet50")),
            ("a Transformer there", "1.25 to 1.40 x", hierarchical("transformer-big --batch 131072")),
            ("ResNet-50 on Dell Zenith, 128, 256 and 314 nodes (Filby and Dandapanthula, Dell EMC, 2018)", "90, 83, 76 %",
             "; ".join(", ".join(efficiency(nodes, exchange) for nodes in (128, 256, 314)) + " % with " + name
                       for exchange, name in (("mlsl-priority", "`mlsl-priority`"), (str(FOLDER.parent / "reports/exchanges/mlsl-servers.yaml"), "its [four servers](../reports/exchanges/mlsl-servers.yaml)"))))]
    return ["| published | there | here |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]


def between(page, begin, rows):
    before, rest = page.split(begin)
    return before + begin + "\n" + "\n".join(rows) + "\n\n" + END + rest.split(END, 1)[1]


def cell(exchange):
    step = 1e3 * exchange["step_time_s"]
    return f"{'≥ ' if exchange['is_lower_bound'] else ''}{step:.0f}" if step < 1e4 else f"{step / 1e3:.1f} s"


def main():
    answers = [answer(model, batch, machine) for model, batch in MODELS.items() for machine in MACHINES.values()]
    steps = [{each["exchange"]: each for each in one["exchanges"]} for one in answers]
    most_even_first = sorted(steps[0], key=lambda name: max(one[name]["step_time_s"] / min(each["step_time_s"] for each in one.values())
                                                          for one in steps))
    rows = ["| exchange | " + " | ".join(f"{model}, {network}" for model in MODELS for network in MACHINES) + " |",
            "|---|" + "---:|" * len(answers)]
    rows.append("| *the plan's own all-reduce* | " + " | ".join(f"*{1e3 * one['step_time_s']:.0f}*" for one in answers) + " |")
    rows.append("| *compute alone* | " + " | ".join(f"*{1e3 * one['compute_s']:.0f}*" for one in answers) + " |")
    for name in most_even_first:
        rows.append(f"| `{name}` | " + " | ".join(cell(one[name]) for one in steps) + " |")
    page = PAGE.read_text()
    written = between(between(page, BEGIN, rows), PUBLISHED, published())
    if os.environ.get("DODONA_ACCEPT") == "1":
        PAGE.write_text(written)
    elif page != written:
        sys.exit("docs/exchanges.md does not show what `dodona predict --exchange` answers; DODONA_ACCEPT=1 writes it anew")


main()
