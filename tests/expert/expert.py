"""Asks the questions of a file of cases and compares each answer with what an expert would accept.

  expert.py FILE [--table] [WORD...]     only cases whose title has every WORD; --table prints each expected and given number

A line `KEY = RANGE` holds for the first plan of the answer: KEY is `strategy`, `zero`, an axis or fold of its mesh (1 where
it has none), a number that the plan's JSON has under that key or path (memory_bytes.total), or a path into the whole answer
(remedies.0.plan.fits); where the answer has no plan, a key of it. In a list a part of a path is an index, or a value of the
element meant (exchanges.hitop-k.exchange_s); `length` is how many it has.
`rank tensor=8 pipeline=16` is the place of the first plan with these sizes, 0 where none of those that are listed has them.
`exit` is the exit code, `says` what the program prints without --json. Of several commands, KEY is of the last, N:KEY of the
N-th; `A / B` and `A - B` are of two keys.
RANGE: `4..8`, `3.72 +- 0.01`, `90 +- 15 %`, or words with | between them.
A line `fails: KEY = RANGE  # reason` must not hold: it is a failure that is known.
"""
import json
import operator
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]  # paths of commands are relative to it

AXES = {"tensor", "data", "pipeline", "context", "expert", "spatial", "filter", "channel", "shard", "replicate"}



def cases(path):
    case = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{path.name}:{number}"
        if line.startswith("== "):
            case = {"title": line[3:], "where": where, "commands": [], "lines": []}
            yield case
        elif line.startswith("$ dodona "):
            case["commands"].append(line[9:])
        elif line.startswith("source: "):
            case["source"] = line[8:]
        elif line and not line.startswith("#"):
            case["lines"].append((where, line))


def complete(case):
    """A case with a source, a command and something to hold."""
    for key in ("source", "commands", "lines"):
        if not case.get(key):
            sys.exit(f"{case['where']}: {case['title']}: no {key}")
    return case


def path_into(answer, key):
    here = answer
    for part in key.split("."):
        if not isinstance(here, list):
            here = here[part]
        elif part == "length":
            here = len(here)
        else:
            here = here[int(part)] if part.isdigit() else next(one for one in here if part in one.values())
    return here


def first_plan(answer):
    """Of `plan`, or the one of `predict`; empty where there is none."""
    plans = answer.get("plans", [])
    return plans[0] if plans else answer.get("plan") or {}


def size_of(plan, axis):
    size = {**(plan["mesh"] or {}), **(plan["fold"] or {})}.get(axis, 1)
    return size["size"] if isinstance(size, dict) else size


class Asked:
    """A command that was run, once for its answer and once more where a case reads its text."""

    def __init__(self, command):
        self.command = command
        done = self.run(*([] if "--export" in command else ["--json"]))
        self.code, self.printed = done.returncode, done.stderr.strip()
        self.answer = json.loads(done.stdout) if done.stdout.startswith("{") else {}

    def run(self, *more):
        return subprocess.run([os.environ["DODONA_PROGRAM"], *shlex.split(self.command), *more], capture_output=True, text=True,
                              check=False, cwd=ROOT)

    def text(self):
        done = self.run()
        return " ".join((done.stdout + done.stderr).split())

    def rank(self, sizes):
        wanted = [one.split("=") for one in sizes.split()]
        plans = enumerate(self.answer["plans"], 1)
        return next((place for place, plan in plans if all(size_of(plan, axis) == int(size) for axis, size in wanted)), 0)

    def value(self, key):
        if key == "exit":
            return self.code
        if key.startswith("rank "):
            return self.rank(key.removeprefix("rank "))
        plan = first_plan(self.answer)
        if key == "zero":
            return plan["shard"]
        if key in AXES and plan:
            return size_of(plan, key)
        if key == "memory_share":
            return plan["memory_bytes"]["total"] / plan["memory_limit_bytes"]
        return path_into(plan if key.split(".")[0] in plan else self.answer, key)


def value_of(asked, key):
    for sign, make in ((" / ", operator.truediv), (" - ", operator.sub)):
        if sign in key:
            return make(*(value_of(asked, part.strip()) for part in key.rsplit(sign, 1)))
    number, colon, rest = key.partition(":")
    one = asked[int(number) - 1] if colon else asked[-1]
    return one.value(rest if colon else key)


def accepts(value, expected):
    if " +- " in expected:
        middle, tolerance = expected.split(" +- ")
        share = tolerance.endswith(" %")
        allowed = float(tolerance.removesuffix(" %")) * (abs(float(middle)) / 100 if share else 1)
        return abs(float(value) - float(middle)) <= allowed
    if ".." in expected:
        least, most = (float(end) for end in expected.split(".."))
        return least <= float(value) <= most
    words = [word.strip() for word in expected.split("|")]
    return (json.dumps(value) if not isinstance(value, str) else value) in words


def check(case, asked_before):
    """Faults of a case, and its rows (key, expected, given)."""
    for command in case["commands"]:
        if command not in asked_before:
            asked_before[command] = Asked(command)
    asked = [asked_before[command] for command in case["commands"]]
    codes = any(line.startswith("exit ") for _, line in case["lines"])
    faults = [f"{case['where']}: exit {one.code}: {one.printed}" for one in asked if one.code not in (0, 1) and not codes]
    rows = []
    for where, line in [] if faults else case["lines"]:
        known = line.startswith("fails: ")
        rule = line.removeprefix("fails: ").split("  #")[0]
        key, _, expected = (part.strip() for part in rule.partition(" = "))
        if not expected or (known and "  #" not in line):
            sys.exit(f"{where}: expected `KEY = RANGE`, after `fails:` with `# reason`: {line}")
        try:
            value = asked[-1].text() if key == "says" else value_of(asked, key)
            good = expected in value if key == "says" else accepts(value, expected)
        except (KeyError, IndexError, TypeError, StopIteration) as fault:
            value, good = f"nothing ({fault})", False
        rows.append((("fails: " if known else "") + key, expected, expected if key == "says" and good else value))
        if good == known:
            what = "is accepted now: make the line one that holds" if known else f"but it is {value}"
            faults.append(f"{where}: {case['title']}: {key} = {expected} {what}\n    dodona {case['commands'][-1]}")
    return faults, rows


def main():
    names = [word for word in sys.argv[2:] if word != "--table"]
    asked_before = {}
    faults, count = [], 0
    for case in map(complete, list(cases(pathlib.Path(sys.argv[1])))):
        if all(word in case["title"] for word in names):
            count += 1
            wrong, rows = check(case, asked_before)
            faults += wrong
            if "--table" in sys.argv:
                print(case["title"] + "".join(f"\n  $ dodona {command}" for command in case["commands"]))
                print("".join(f"    {key}: expected {expected}, printed {value}\n" for key, expected, value in rows), end="")
    print("\n".join(faults) if faults else f"{count} questions answered as experts would")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
