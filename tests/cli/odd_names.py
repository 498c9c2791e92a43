"""odd_names.py PROGRAM SOURCE: files of a user with names and texts that a terminal, a page, a spreadsheet or a shell would
obey, in each answer about a job and in each format: they are printed, and never obeyed."""

import csv
import io
import json
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


def check_written(folder):
    """Jobs of batch systems run the trial that they are to; files of YAML read back."""
    pathlib.Path("study.yaml").write_text("trials: \"odd\\ntouch OBEYED #\\e[2J\"\nspace: {word: [\"a'\\e[2J\\u202e\\r\\\\\"]}\ntime: 1\n"
                                          "command: printf %s {word} > {folder}/out\n")
    module = pathlib.Path(folder, "pycompss/api")
    module.mkdir(parents=True)
    for name in ("constraint", "task"):
        (module / f"{name}.py").write_text(f"def {name}(**_):\n    return lambda run: run\n")
    (module / "api.py").write_text("def compss_wait_on(results):\n    return results\n")
    for target, shell in (("slurm", ["bash", "job"]), ("pycompss", [sys.executable, "job"])):
        job, _ = answer(["trials", "study.yaml", "--slots", "1", "--export", target])
        pathlib.Path("job").write_text(job)
        if any(mark in job for mark in (*OBEYED, "\r")):
            fail(f"{target}: {job!r}")
        subprocess.run(shell, env=dict(os.environ, SLURM_ARRAY_TASK_ID="0"), check=True)
        out = pathlib.Path("trial-0001/out")
        if out.read_bytes().decode() != "a'\x1b[2J\u202e\r\\":
            fail(f"{target}: the trial was run as {out.read_bytes()}")
        out.unlink()
    config = pathlib.Path(NAME.replace("/o", "/c") + ".json")
    config.write_text(json.dumps({"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
                                  "num_attention_heads": 4, "vocab_size": 1000, "max_position_embeddings": 64}))
    model, complaint = answer(["import", str(config)])
    if not model or any(mark in model + complaint for mark in OBEYED):
        fail(f"import: {model!r} {complaint!r}")
    pathlib.Path("imported.yaml").write_text(model)
    if "llama" not in answer(["check", "imported.yaml"])[0] and "model" not in answer(["check", "imported.yaml"])[0]:
        fail("what import writes is not read back")


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
        check_written(folder)
        if os.path.exists("OBEYED"):
            fail("a name was run")
    print(f"{len(questions)} questions in {len(FORMATS)} formats")


main()
