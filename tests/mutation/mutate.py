"""mutate.py FOLDER [--mutants N] [--seed N] [--build build/test]: do the tests notice a changed operator or number?

Changes one operator, comparison, min or max, or number of a C++ file of FOLDER (oracle/cost, oracle/plan, oracle/step) at a
time, builds the folder's test programs and runs them. A mutant is killed if a test fails, stillborn if it does not compile,
and survives otherwise. The last line is "N killed, N survived, N stillborn"; survivors are listed before it, to be answered by
a test. The tree is left as it was. A mutant takes a build and a run of the tests, half a minute or more.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Test programs of a folder; the first that fails kills.
TESTS = {
    "oracle/cost": ["tests/cost_test"],
    "oracle/plan": ["tests/plan_test", "tests/step_test"],
    "oracle/step": ["tests/step_test", "tests/search_test"],
}

# What is written, and what it becomes.
CHANGES = [
    (r"(?<=\w |\) )\+ (?=\w|\()", "- "), (r"(?<=\w |\) )- (?=\w|\()", "+ "), (r"(?<=\w |\) )\* (?=\w|\()", "/ "),
    (r" / (?=\w|\()", " * "), (r" < (?=\w)", " <= "), (r" > (?=\w)", " >= "), (r" <= ", " < "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "), (r"\bmin\(", "max("), (r"\bmax\(", "min("),
    (r"(?<![\w.])0(?![\w.x])", "1"), (r"(?<![\w.])1(?![\w.])", "2"), (r"(?<![\w.])2(?![\w.])", "3"),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
]


def code_of(line):
    """The line with comments and texts blanked out: nothing is changed there. Nothing of preprocessor lines."""
    if line.lstrip().startswith(("#", "//", "template", "namespace", "using ")):
        return " " * len(line)
    line = re.sub(r'"(\\.|[^"\\])*"', lambda text: " " * len(text.group()), line)
    return re.sub(r"//.*", lambda text: " " * len(text.group()), line)


def mutants_of(folder):
    """Every change that can be made: (file, line, from, to, what it becomes)."""
    for path in sorted((ROOT / folder).rglob("*.cpp")):
        for number, line in enumerate(path.read_text().splitlines()):
            code = code_of(line)
            for pattern, new in CHANGES:
                for found in re.finditer(pattern, code):
                    yield path, number, found.start(), found.end(), new


def run(words, seconds):
    try:
        return subprocess.run(words, cwd=ROOT, capture_output=True, timeout=seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        return "too long"  # an endless loop is noticed


def fate_of(build, tests):
    if run(["ninja", "-C", build, *tests], 1800) != 0:
        return "stillborn"
    return "killed" if any(run([ROOT / build / test], 300) != 0 for test in tests) else "survived"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", choices=sorted(TESTS))
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default="build/test")
    asked = parser.parse_args()
    tests = TESTS[asked.folder]
    if fate_of(asked.build, tests) != "survived":
        sys.exit("the tests fail without a mutant")
    every = list(mutants_of(asked.folder))
    counts = {"killed": 0, "survived": 0, "stillborn": 0}
    for path, number, begin, end, new in random.Random(asked.seed).sample(every, min(asked.mutants, len(every))):
        before = path.read_text()
        lines = before.splitlines(keepends=True)
        old = lines[number]
        lines[number] = old[:begin] + new + old[end:]
        try:
            path.write_text("".join(lines))
            fate = fate_of(asked.build, tests)
        finally:
            path.write_text(before)
        counts[fate] += 1
        if fate == "survived":
            print(f"{path.relative_to(ROOT)}:{number + 1}: survived: {lines[number].strip()}", flush=True)
    run(["ninja", "-C", asked.build, *tests], 1800)
    print(", ".join(f"{count} {fate}" for fate, count in counts.items()))


if __name__ == "__main__":
    main()
