"""odd_names.py PROGRAM SOURCE: files of a user with names and texts that a terminal, a page, a spreadsheet or a shell would
obey, in each answer about a job and in each format: they are printed, and never obeyed."""

import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

program, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
OBEYED = ("\x1b", "\x07", "\u009b", "\u202e")
NAME = "./o\x1b]0;t\x07\u009b31m\u202e<img src=x onerror=alert(1)>\n```\n=1+1,\"q\"|`b` $(touch OBEYED)"
TEXT = "\\e[2J<script>alert(1)</script>\\n=2+2"
FORMATS = ("text", "md", "html", "csv", "json")


def fail(why):
    sys.exit(f"FAILED: {why}")


def answer(words):
    done = subprocess.run([program, *words], capture_output=True, env=dict(os.environ, DODONA_DATA=str(source)), timeout=100)
    if done.returncode > 3:
        fail(f"{words}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


def outside_fences(page):
    """Lines of Markdown that are no code."""
    fence = ""
    for line in page.splitlines():
        mark = re.match("`{3,}", line)
        if mark and not fence:
            fence = mark.group()
        elif mark and line.strip("`") == "" and len(line) >= len(fence):
            fence = ""
        elif not fence:
            yield line


def faults(form, text):
    if form == "html" and re.search("<img src=x|<script>alert", text):
        yield "markup in HTML"
    if form == "md" and any(re.search(r"(^|[^\\])<(img src=x|script>alert)", line) for line in outside_fences(text)):
        yield "markup in Markdown"
    if form == "csv":
        cells = (cell for row in csv.reader(io.StringIO(text)) for cell in row)
        yield from (f"the formula {cell!r}" for cell in cells if re.match(r"[=@\t]|[+-](?![\d.]|inf)", cell))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        model, machine = NAME + ".yaml", NAME + "m.yaml"
        text = (source / "models/alexnet.yaml").read_text()
        pathlib.Path(model).write_text(re.sub("model: .*", lambda _: f'model: "{TEXT}"', text, count=1))
        text = (source / "hardware/clusters/dgx-h100.yaml").read_text()
        for key in ("cluster", "source"):
            text = re.sub(f"(?m)^{key}: .*", lambda _, key=key: f'{key}: "{TEXT}"', text, count=1)
        pathlib.Path(machine).write_text(text)
        job = [model, "--machine", machine, "--gpus", "8", "--batch", "512"]
        questions = [["plan", *job, "--full"], ["plan", *job, "--explain"], ["predict", *job, "--strategy", "data", "--full"],
                     ["size", model, "--machine", machine, "--gpus", "8", "--epochs", "1"],
                     ["limits", model, "--machine", machine, "--gpus", "8"], ["largest", model, "batch", "--machine", machine, "--gpus", "8"],
                     ["compare", "data", "zero3", "--model", *job], ["simulate", *job, "--strategy", "data"],
                     ["report", model, "--machine", machine, "--gpus", "8"], ["models", model], ["machines", machine],
                     ["check", model, machine, NAME]]
        for words in questions:
            for form in FORMATS:
                out, complaint = answer([*words, "--format", form])
                for mark in OBEYED:
                    if mark in out + complaint:
                        fail(f"{words[0]}, {form}: has {mark!r}")
                for fault in faults(form, out):
                    fail(f"{words[0]}, {form}: {fault}\n{out}")
        for target in ("megatron", "torchtitan", "slurm", "accelerate", "nanotron"):
            answer(["plan", *job, "--export", target, "-o", f"{target}.out"])
            for line in pathlib.Path(f"{target}.out").read_text().splitlines() if os.path.exists(f"{target}.out") else []:
                if re.search(r"=1\+1|OBEYED", line) and not line.startswith("#"):
                    fail(f"{target}: {line}")
        if os.path.exists("OBEYED"):
            fail("a name was run")
    print(f"{len(questions)} questions in {len(FORMATS)} formats")


main()
