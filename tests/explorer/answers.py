"""answers.py PROGRAM SOURCE: the module of the explorer's page, asked in Node, answers as the command does.

Skips (77) where there is no Node or no module.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import explorer

program, source = (os.path.abspath(path) for path in sys.argv[1:3])


def plan(model, machine, gpus, **options):
    return {"command": "plan", "arguments": [model], "options": {"machine": machine, "gpus": gpus, **options}}


QUESTIONS = [
    plan("llama-3.1-8b", "dgx-h100", 16, batch=512, top=3),
    plan("resnet50", "abci", 64),
    plan("gpt3-20b", "selene", 32, batch=128, fixed=["tensor=4", "recompute=none"]),
    plan("mixtral-8x7b", "dgx-h100", 64, strategy="megatron-expert", top=2),
    plan("llama-3.1-8b", "dgx-h100", 64, adjust={"bandwidth.unit": 0.1, "memory": 0.5}),
    plan("alexnet", "abci", 16, strategy="auto"),
    plan("llama-3.1-405b", "rtx-4090-x8", 8, batch=8),  # nothing fits
    plan("llama-3.1-8b", "dgx-h100", 16, software="composer-fsdp", explain=True),
    {"command": "predict", "arguments": ["vgg16"], "options": {"machine": "abci", "gpus": 8, "mesh": {"data": 8}}},
    plan("resnet5", "abci", 64),  # a fault, with a suggestion
    plan("resnet50", "abci", 64, adjust={"bandwidth.nod": 2}),
]


LAB = """cluster: lab
source: "two boxes under the desk"
device: parts/gpu.yaml
levels:
  - {name: box, size: 4, kind: switch, bandwidth: 25 GB/s, latency: 5 us}
  - {name: room, size: 2, kind: switch, links: 1, bandwidth: 1.25 GB/s, latency: 30 us}
"""


def answers(node, page, questions):
    asker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ask.js")
    done = subprocess.run([node, asker, page], input=json.dumps(questions), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        explorer.fail(f"node: {done.stderr}")
    return json.loads(done.stdout)


def check_own_files(node, folder):
    """A model and a machine of the user's, and the device that the machine names, are in the page."""
    os.mkdir(os.path.join(folder, "parts"))
    shutil.copy(os.path.join(source, "hardware/devices/rtx-a6000.yaml"), os.path.join(folder, "parts/gpu.yaml"))
    model, machine = os.path.join(folder, "mine.yaml"), os.path.join(folder, "lab.yaml")
    shutil.copy(os.path.join(source, "models/resnet50.yaml"), model)
    with open(machine, "w", encoding="utf-8") as stream:
        stream.write(LAB)
    page = os.path.join(folder, "own.html")
    explorer.write_page(program, source, page, model, "--machine", machine)
    [answer] = answers(node, page, [plan("/dodona/own/1/2/models/mine.yaml", "/dodona/own/1/2/machines/lab.yaml", 8)])
    _, expected, complaint = explorer.dodona(program, source, *explorer.words_of(plan(model, machine, 8)))
    if not answer["json"] or not expected:
        explorer.fail(f"own files: {answer['message']}{complaint}")
    found = explorer.difference(json.loads(answer["json"])["plans"], json.loads(expected)["plans"])
    if found:
        explorer.fail(f"own files: the page and the command differ: {found}")


def main():
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        explorer.skip("no node")
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "explorer.html")
        explorer.write_page(program, source, page)
        for question, answer in zip(QUESTIONS, answers(node, page, QUESTIONS), strict=True):
            explorer.compare(program, source, question, answer["code"], answer["json"])
            if not answer["json"] and not answer["message"]:
                explorer.fail(f"{question}: neither an answer nor a word why")
        check_own_files(node, folder)
    print(f"{len(QUESTIONS)} questions answered as by the command")


main()
