"""exchanges.py: writes the table of docs/exchanges.md from what `dodona predict --exchange all` answers.

A test holds that the page shows today's answers; DODONA_ACCEPT=1 writes them anew. The program is $DODONA_PROGRAM."""

import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
PAGE = FOLDER / "exchanges.md"
BEGIN, END = "<!-- table: exchanges.py -->\n", "<!-- end -->\n"
MODELS = {"resnet50": "1024", "gpt2": "64"}
MACHINES = {"10 GbE": str(FOLDER / "ten-gigabit.yaml"), "InfiniBand": "abci", "NVLink": "dgx-2"}


def answer(model, batch, machine):
    words = ["predict", model, "--machine", machine, "--gpus", "16", "--batch", batch, "--strategy", "data", "--exchange",
             "all", "--format", "json"]
    done = subprocess.run([os.environ["DODONA_PROGRAM"], *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


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
    before, rest = page.split(BEGIN)
    after = rest.split(END, 1)[1]
    written = before + BEGIN + "\n" + "\n".join(rows) + "\n\n" + END + after
    if os.environ.get("DODONA_ACCEPT") == "1":
        PAGE.write_text(written)
    elif page != written:
        sys.exit("docs/exchanges.md does not show what `dodona predict --exchange all` answers; DODONA_ACCEPT=1 writes it anew")


main()
