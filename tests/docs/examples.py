#!/usr/bin/env python3
"""examples.py PAGE...: runs every example of these pages and compares its output with what the page says.

In a page:
  <!-- file: tiny.yaml -->      the fenced block that follows is that file's text
  <!-- copied: tests/x.onnx --> that file of the source tree lies beside the commands
  <!-- from: oracle/x.cpp -->   the fenced block that follows stands in that file, word for word
  ```console                    lines that start with `$ ` are commands, the rest of the block is their output;
                                a line `...` stands for any number of lines,
                                but not for all of them

The commands of a page run in one empty folder, in order, with ./dodona standing for the built program ($DODONA_PROGRAM).
DODONA_ACCEPT=1 rewrites the outputs in the page; of an output with `...` the paragraphs that it shows, as far as their
first lines are still printed.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["DODONA_SOURCE"])
PROGRAM = os.environ["DODONA_PROGRAM"]
FENCE = re.compile(r"(?:<!-- (?P<use>file|from): (?P<file>\S+) -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)```\n", re.S)


def run(command, folder):
    words = shlex.split(command)
    if words[0] != "./dodona":
        return None
    environment = dict(os.environ, DODONA_DATA=str(SOURCE), NO_COLOR="1", COLUMNS="100")
    done = subprocess.run([PROGRAM, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=60, stdin=subprocess.DEVNULL)
    return done.stdout + done.stderr


def matches(expected, found):
    pattern = re.escape(expected).replace(re.escape("...\n"), "(?:.*\n)*?")
    return re.fullmatch(pattern, found) is not None


def elided(expected, found):
    """What `found` prints of the paragraphs that `expected` shows between its `...`; all of it if one is gone."""
    if expected in ("", "...\n"):
        return found
    lines = found.splitlines(keepends=True)
    parts = re.split(r"^\.\.\.\n", expected, flags=re.M)
    for i, part in enumerate(parts):
        if part:
            first = part.splitlines(keepends=True)[0]
            if len(parts) == 1 or first not in lines:
                return found
            begin = end = lines.index(first)
            for _ in part.rstrip("\n").split("\n\n"):  # as many paragraphs
                end = lines.index("\n", end + 1) if "\n" in lines[end + 1:] else len(lines)
            parts[i] = "".join(lines[begin:end]) + ("\n" if part.endswith("\n\n") else "")
            if i == len(parts) - 1 and end < len(lines):
                return "...\n".join([*parts, ""])
    return "...\n".join(parts)


def examples(body):
    """[(command, output)] of a console block; commands that are not ./dodona have no output of ours."""
    parts = re.split(r"^\$ (.*)\n", body, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def check(name):
    """(commands, failures) of one page, named by its path in the source tree."""
    path = SOURCE / name
    text = page = path.read_text()
    accept = os.environ.get("DODONA_ACCEPT") == "1"
    failures = commands = 0
    with tempfile.TemporaryDirectory() as folder:
        for copied in re.findall(r"^<!-- copied: (\S+) -->$", text, re.M):
            shutil.copy(SOURCE / copied, folder)
        for block in FENCE.finditer(text):
            if block["use"] == "file":
                pathlib.Path(folder, block["file"]).write_text(block["body"])
            if block["use"] == "from" and block["body"] not in (SOURCE / block["file"]).read_text():
                print(f"{name}: a block that says it is from {block['file']} does not stand there")
                failures += 1
            if block["kind"] != "console":
                continue
            rewritten = ""
            for command, expected in examples(block["body"]):
                found = run(command, folder)
                if found is None:
                    rewritten += f"$ {command}\n{expected}"
                    continue
                commands += 1
                if matches(expected, found) and expected != "...\n":
                    rewritten += f"$ {command}\n{expected}"
                    continue
                if accept:
                    rewritten += f"$ {command}\n{elided(expected, found)}"
                    continue
                failures += 1
                print(f"{name} says of `{command}`:\n{expected}\nbut it prints:\n{found}")
            if accept:
                page = page.replace(block["body"], rewritten)
    if accept and page != text:
        path.write_text(page)
    return commands, failures


def main():
    total = total_failures = 0
    for name in sys.argv[1:]:
        commands, failures = check(name)
        print(f"{name}: {commands} commands, {failures} differ from the page")
        total += commands
        total_failures += failures
    return 1 if total_failures or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
