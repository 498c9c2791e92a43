"""Asks the questions of cases.txt and compares each answer with what an expert would accept.

A line `KEY = RANGE` holds for the first plan of the answer: KEY is `strategy`, `zero`, an axis or fold of its mesh (1 where
it has none), a number that the plan's JSON has under that key or path (memory_bytes.total), or a path into the whole answer
(remedies.0.plan.fits); where the answer has no plan, a key of it.
`exit` is the exit code. A line `fails: KEY = RANGE  # reason` must not hold: it is a failure that is known.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys

AXES = {"tensor", "data", "pipeline", "context", "expert", "spatial", "filter", "channel", "shard", "replicate"}


def cases(text):
    case = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("== "):
            case = {"title": line[3:], "line": number, "lines": []}
            yield case
        elif line.startswith("$ dodona "):
            case["command"] = line[9:]
        elif line.startswith("source: "):
            case["source"] = line[8:]
        elif line and not line.startswith("#"):
            case["lines"].append((number, line))


def complete(case):
    """A case with a source, a command and something to hold."""
    for key in ("source", "command", "lines"):
        if not case.get(key):
            sys.exit(f"cases.txt:{case['line']}: {case['title']}: no {key}")
    return case


def path_into(answer, key):
    here = answer
    for part in key.split("."):
        here = here[int(part)] if part.isdigit() else here[part]
    return here


def first_plan(answer):
    """Of `plan`, or the one of `predict`; empty where there is none."""
    plans = answer.get("plans", [])
    return plans[0] if plans else answer.get("plan") or {}


def value_of(answer, code, key):
    if key == "exit":
        return code
    plan = first_plan(answer)
    if "." in key:
        return path_into(plan if key.split(".")[0] in plan else answer, key)
    if not plan:
        return answer[key]
    if key == "zero":
        return plan["shard"]
    if key in AXES:
        size = {**(plan["mesh"] or {}), **(plan["fold"] or {})}.get(key, 1)
        return size["size"] if isinstance(size, dict) else size
    if key == "memory_share":
        return plan["memory_bytes"]["total"] / plan["memory_limit_bytes"]
    return plan[key]


def accepts(value, wanted):
    if ".." in wanted:
        least, most = (float(end) for end in wanted.split(".."))
        return least <= float(value) <= most
    words = [word.strip() for word in wanted.split("|")]
    return (json.dumps(value) if not isinstance(value, str) else value) in words


def check(case, program):
    words = shlex.split(case["command"])
    done = subprocess.run([program, *words, "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return [f"cases.txt:{case['line']}: exit {done.returncode}: {done.stderr.strip()}"]
    answer = json.loads(done.stdout)
    faults = []
    for number, line in case["lines"]:
        known = line.startswith("fails: ")
        rule = line.removeprefix("fails: ").split("#")[0]
        key, _, wanted = (part.strip() for part in rule.partition("="))
        if not wanted or (known and "#" not in line):
            sys.exit(f"cases.txt:{number}: expected `KEY = RANGE`, after `fails:` with `# reason`: {line}")
        try:
            value = value_of(answer, done.returncode, key)
            good = accepts(value, wanted)
        except (KeyError, IndexError, TypeError) as fault:
            value, good = f"nothing ({fault})", False
        if good == known:
            what = "is accepted now: make the line one that holds" if known else f"but it is {value}"
            faults.append(f"cases.txt:{number}: {case['title']}: {key} = {wanted} {what}\n    dodona {case['command']}")
    return faults


def main():
    program = os.environ["DODONA_PROGRAM"]
    text = (pathlib.Path(__file__).parent / "cases.txt").read_text(encoding="utf-8")
    asked = [complete(case) for case in list(cases(text))]
    asked = [case for case in asked if all(word in case["title"] for word in sys.argv[1:])]
    faults = [fault for case in asked for fault in check(case, program)]
    print("\n".join(faults) if faults else f"{len(asked)} questions answered as experts would")
    return 1 if faults or not asked else 0


if __name__ == "__main__":
    sys.exit(main())
