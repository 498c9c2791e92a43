"""What the tests of the explorer share: its page, the command's answers, and how two answers are compared."""

import json
import math
import os
import subprocess
import sys

# A library of mathematics rounds logarithms and powers its own way.
CLOSE = 1e-9


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def fail(why):
    print(f"FAILED: {why}")
    sys.exit(1)


def dodona(program, source, *words):
    """(exit code, standard output, standard error)"""
    environment = dict(os.environ, DODONA_DATA=source)
    done = subprocess.run([program, *words], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def write_page(program, source, page, *words):
    """The page of `dodona explorer`; skips where its module is not built."""
    module = os.path.join(os.path.dirname(program), "explorer", "dodona.wasm")
    if not os.path.exists(module):
        skip("`ninja explorer` has not built the module of the page (needs Emscripten)")
    code, _, complaint = dodona(program, source, "explorer", *words, "-o", page)
    if code != 0:
        fail(f"explorer exits with {code}: {complaint}")
    if os.path.getsize(page) > 3_000_000:
        fail(f"the page has {os.path.getsize(page)} bytes")


def difference(ours, theirs, path=""):
    """Where two answers differ, or None; all but how long the search took."""
    if path.endswith("search.seconds"):
        return None
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if list(ours) != list(theirs):
            return f"{path}: keys {list(ours)}, {list(theirs)}"
        parts = ((f"{path}.{key}", ours[key], theirs[key]) for key in ours)
    elif isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            return f"{path}: {len(ours)} and {len(theirs)} elements"
        parts = ((f"{path}[{i}]", a, b) for i, (a, b) in enumerate(zip(ours, theirs)))
    elif isinstance(ours, float) or isinstance(theirs, float):
        numbers = all(isinstance(one, (int, float)) for one in (ours, theirs))
        return None if numbers and math.isclose(ours, theirs, rel_tol=CLOSE) else f"{path}: {ours}, {theirs}"
    else:
        return None if ours == theirs else f"{path}: {ours!r}, {theirs!r}"
    return next((found for found in (difference(a, b, where) for where, a, b in parts) if found), None)


def words_of(question):
    """A question to the module as the words of the command."""
    words = [question["command"], *question["arguments"], "--json"]
    for name, value in question["options"].items():
        if isinstance(value, dict):
            for key, factor in value.items():
                words += [f"--{name}", f"{key}={factor}"]
        elif value is True:
            words.append(f"--{name}")
        else:
            words += [f"--{name}", ",".join(value) if isinstance(value, list) else str(value)]
    return words


def compare(program, source, question, code, text):
    """Fails where the module's answer is not the command's."""
    expected, output, complaint = dodona(program, source, *words_of(question))
    if code != expected:
        fail(f"{question}: exit code {code}, the command's is {expected}: {complaint}")
    if bool(text) != bool(output):
        fail(f"{question}: one of the two has no answer")
    found = difference(json.loads(text), json.loads(output)) if output else None
    if found:
        fail(f"{question}: the page and the command differ: {found}")
