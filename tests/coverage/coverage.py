"""coverage.py [--build build/coverage] [--lines N] [--no-run]: which lines the tests run, by folder.

Builds the programs and tests with counters (meson -Db_coverage=true, g++ without optimisation), runs the tests but the suites
in LEFT_OUT, and reads the counters with gcov. Prints a Markdown table of lines by folder and the files of which least is
covered, with --lines N their first N lines that no test runs. A line counts once, however many programs hold it. Programs that
end by a signal leave no counters.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = ["-Db_coverage=true", "-Dcuda=disabled", "-Dtests=enabled", "-Dunity=on", "-Dunity_size=120", "-Doptimization=0",
           "-Ddebug=false"]  # CUDA's linker counts nothing
OURS = re.compile(r"(oracle|reports|questions|cli|calibrate|bindings)/")
LEFT_OUT = [word for suite in ("lint", "slow", "docs", "tidy", "truth") for word in ("--no-suite", suite)]
LEAST = 0.85  # files below are listed


def build_and_run(build):
    """The tests' exit status: counters are read whatever it is."""
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", build, ROOT, *OPTIONS], check=True, env=dict(os.environ, CXX="g++"))
    for old in build.rglob("*.gcda"):
        old.unlink()
    subprocess.run(["ninja", "-C", build], check=True)
    return subprocess.run(["meson", "test", "-C", build, "--no-rebuild", "--timeout-multiplier", "10", *LEFT_OUT],
                          check=False).returncode


def counted_lines(build):
    """{file: {line: times}} of all counters below the build."""
    lines = collections.defaultdict(collections.Counter)
    for counters in sorted(build.rglob("*.gcda")):
        said = subprocess.run(["gcov", "--json-format", "--stdout", counters.resolve()], cwd=build, capture_output=True, text=True,
                              check=True).stdout
        for text in said.splitlines():
            for file in json.loads(text)["files"]:
                path = os.path.relpath((build / file["file"]).resolve(), ROOT)
                if OURS.match(path):
                    for line in file["lines"]:
                        lines[path][line["line_number"]] += line["count"]
    return lines


def folder_of(path):
    """The layer: two levels, but one for cli."""
    return path.split("/")[0] if path.startswith("cli/") else "/".join(path.split("/")[:2])


def row(name, counts):
    covered = sum(1 for times in counts if times > 0)
    return f"| `{name}` | {len(counts):,} | {covered:,} | {100 * covered / len(counts):.1f} % |"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default="build/coverage")
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("--no-run", action="store_true", help="read the counters that are there")
    asked = parser.parse_args()
    build = (ROOT / asked.build).resolve()
    status = 0 if asked.no_run else build_and_run(build)
    lines = counted_lines(build)
    if not lines:
        sys.exit(f"no counters below {asked.build}: leave --no-run out")
    folders = collections.defaultdict(list)
    for path, counts in lines.items():
        folders[folder_of(path)] += counts.values()
    print("| folder | lines | covered | share |\n|---|---|---|---|")
    for folder in sorted(folders):
        print(row(folder, folders[folder]))
    print(row("all", [times for counts in lines.values() for times in counts.values()]))
    print(f"\n| files below {100 * LEAST:.0f} % | lines | covered | share |\n|---|---|---|---|")
    for path in sorted(lines):
        counts = lines[path]
        missed = sorted(line for line, times in counts.items() if times == 0)
        if len(missed) > (1 - LEAST) * len(counts):
            print(row(path, counts.values()))
            source = (ROOT / path).read_text(encoding="utf-8").splitlines()
            for line in missed[:asked.lines]:
                print(f"    {path}:{line}: {source[line - 1].strip()}")
    return status


sys.exit(main())
