"""scaling.py: draws docs/scaling.svg, the picture of README.md, from what `dodona limits` answers.

A test holds that the picture shows today's answer; DODONA_ACCEPT=1 draws it anew. The program is $DODONA_PROGRAM."""

import json
import math
import os
import pathlib
import subprocess
import sys

PICTURE = pathlib.Path(__file__).with_name("scaling.svg")
QUESTION = ["limits", "llama-3.1-70b", "--machine", "dgx-h100", "--batch", "512", "--strategy", "zero3,megatron-sequence"]
COLOURS = {"zero3": "#0072b2", "megatron-sequence": "#d55e00"}  # Okabe and Ito: distinct to colour-blind readers
LEFT, RIGHT, TOP, BOTTOM, WIDTH, HEIGHT = 56, 150, 44, 46, 760, 330
MOST_MFU, MOST_GPUS = 0.6, 4096


def mesh(plan):
    return " x ".join(f"{axis} {size}" for axis, size in plan["mesh"].items() if size > 1)


def main():
    done = subprocess.run([os.environ["DODONA_PROGRAM"], *QUESTION, "--format", "json"], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    points = {each["strategy"]: [(p["gpus"], p["plan"]["mfu"], mesh(p["plan"]))
                                 for p in each["points"] if p["fits"] and p["gpus"] <= MOST_GPUS]
              for each in answer["strategies"]}
    fewest = min(gpus for line in points.values() for gpus, _, _ in line)

    def x(gpus):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log2(gpus / fewest) / math.log2(MOST_GPUS / fewest)

    def y(mfu):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * mfu / MOST_MFU

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#222">',
           "<title>Predicted strong scaling of Llama-3.1-70B on DGX H100</title>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
           f'<text x="{LEFT}" y="20" font-size="13">Llama-3.1-70B on DGX H100, global batch 512: predicted model FLOP/s utilisation</text>']
    for tenth in range(7):
        level = y(tenth / 10)
        out.append(f'<path d="M{LEFT} {level:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{level + 4:.1f}" text-anchor="end">{10 * tenth} %</text>')
    gpus = fewest
    while gpus <= MOST_GPUS:
        out.append(f'<text x="{x(gpus):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{gpus:,}</text>')
        gpus *= 2
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.1f}" y="{HEIGHT - 8}" text-anchor="middle">GPUs</text>')
    for strategy, line in points.items():
        colour = COLOURS[strategy]
        path = "L".join(f"{x(gpus):.1f} {y(mfu):.1f}" for gpus, mfu, _ in line)
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for gpus, mfu, plan in line:
            out.append(f'<circle cx="{x(gpus):.1f}" cy="{y(mfu):.1f}" r="4" fill="{colour}"><title>{gpus} GPUs: {plan}, '
                       f"{100 * mfu:.1f} %</title></circle>")
    last = points["zero3"][-1]
    out.append(f'<text x="{x(last[0]):.1f}" y="{y(last[1]) - 14:.1f}" text-anchor="middle" fill="{COLOURS["zero3"]}">'
               f"ZeRO-3 ends here: one sample per GPU</text>")
    last = points["megatron-sequence"][-1]
    out.append(f'<text x="{x(last[0]) + 10:.1f}" y="{y(last[1]) + 4:.1f}" fill="{COLOURS["megatron-sequence"]}">megatron-sequence:</text>')
    out.append(f'<text x="{x(last[0]) + 10:.1f}" y="{y(last[1]) + 19:.1f}" fill="{COLOURS["megatron-sequence"]}">tensor, data, pipeline</text>')
    out.append("</svg>\n")
    picture = "\n".join(out)
    if os.environ.get("DODONA_ACCEPT") == "1":
        PICTURE.write_text(picture)
    elif PICTURE.read_text() != picture:
        sys.exit("docs/scaling.svg does not show what `dodona limits` answers; DODONA_ACCEPT=1 draws it anew")


main()
