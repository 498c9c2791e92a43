"""mutate.py FOLDER... [--mutants N] [--seed N] [--again]: do the tests notice a changed operator or number?

Puts all mutants of the folders into the test programs (mutants.py: one build, with clang 14), asks once which tests would see
each of them differ, and runs those tests with one mutant at a time. --mutants: so many of each, drawn by the seed; all of them
if left out. A mutant is killed if a test fails or runs on far longer than before, and survives otherwise. Results are kept in
build/mutation/results.jsonl, so that a run goes on where it was
stopped; --again runs survivors again, after tests were added; --programs leaves the other test programs out; --drawn has the
programs that draw worlds too (take hours), with DODONA_FULL=1 all their seeds; another folder than build/mutation is
$DODONA_MUTATION. Prints the survivors and a table by folder.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys

import mutants

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / os.environ.get("DODONA_MUTATION", "build/mutation")
LISTENER = ROOT / "tests/mutation/mutant_listener.cpp"
# Test programs that may kill, the cheap ones first; those of all folders together.
WHOLE = ["tests/play_test", "tests/laws/laws_test", "tests/reports_test", "tests/published/published_test",
         "tests/search_test"]
SIGNATURE = "tests/signature/answers"  # asked last: a mutant that changes any answer is killed
DRAWN = ["tests/worlds/worlds_test", "tests/worlds/answers_test", "tests/played/played_test"]  # with --drawn
PROGRAMS = {
    "oracle/cost": ["tests/cost_test", "tests/step_test", "tests/derivation/derivation_test", *WHOLE],
    "oracle/plan": ["tests/plan_test", "tests/step_test", "tests/derivation/derivation_test", *WHOLE],
    "oracle/step": ["tests/step_test", "tests/derivation/derivation_test", *WHOLE],
    "oracle/search": ["tests/search_test", "tests/questions_test", *WHOLE],
    "oracle/files": ["tests/files_test", "tests/validate_test", "tests/questions_test", *WHOLE],
}
LONGEST = 20  # seconds; tests that take longer are left out
# Containers check their indexes, as in the build with sanitizers, which runs the same tests.
COMPILE = ["-std=c++20", "-O1", "-ffp-contract=off", "-fPIC", "-D_GLIBCXX_ASSERTIONS"]


def output_of(words, cwd):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=True).stdout


def archive_of(folder):
    """Of its area in oracle/LAYERS."""
    return "libdodona-files.a" if folder == "oracle/files" else "libdodona-core.a"


def is_newer(made, *sources):
    return made.exists() and all(made.stat().st_mtime > pathlib.Path(source).stat().st_mtime for source in sources)


def built_archive(build, archive, folders, first):
    """The objects of the archive with all mutants of the folders, and the mutants; made again only if the archive was."""
    listed = OUT / f"{archive}.json"
    if is_newer(listed, build / archive, mutants.__file__):
        known = json.loads(listed.read_text())
        if known["folders"] == folders and known["first"] == first:
            return known["objects"], known["mutants"]
    objects, found = [], []
    sources = sorted((build / f"{archive}.p").glob("*.cpp")) or sys.exit("the build is not one with -Dunity=on")
    for source in sources:
        if not any(f"/{folder}/" in source.read_text() for folder in folders):
            objects.append(str(source.with_name(f"meson-generated_{source.name}.o")))
            continue
        plain = output_of(["clang++", *COMPILE, "-I.", f"-I{ROOT}", "-Ioracle", f"-I{ROOT}/oracle", "-Xclang", "-disable-llvm-passes",
                           "-fno-discard-value-names", "-gline-tables-only", "-S", "-emit-llvm", "-o", "-", str(source)], build)
        text, more = mutants.with_mutants(plain, ROOT, folders, first + len(found))
        module = OUT / f"{source.stem}.ll"
        module.write_text(text)
        subprocess.run(["clang++", *COMPILE, "-c", str(module), "-o", str(module.with_suffix(".o"))], check=True)
        objects.append(str(module.with_suffix(".o")))
        found += more
    listed.write_text(json.dumps({"folders": folders, "first": first, "objects": objects, "mutants": found}))
    return objects, found


def linked(build, program, objects):
    """The test program with the mutated objects in place of each archive that has them."""
    command = output_of(["ninja", "-t", "commands", program], build).strip().split("\n")[-1].split()
    words = []
    for word in command:
        words += objects.get(pathlib.Path(word).name, [word])
    made = OUT / pathlib.Path(program).name
    words[words.index("-o") + 1] = str(made)
    if not is_newer(made, build / program, LISTENER, *sum(objects.values(), [])):
        subprocess.run([*words, str(OUT / "mutant_listener.o"), "-lgtest"], cwd=build, check=True)
    return made


def environment(build, **more):
    return {**os.environ, "DODONA_SOURCE": str(ROOT), "DODONA_PROGRAM": str(build / "dodona"), "RC_PARAMS": "seed=1", **more}


def tests_of(build, program):
    """What each passing test reaches: [(name, seconds, set of mutants)], the fastest first."""
    reached = OUT / f"{program.name}.reached"
    if not is_newer(reached, program, *(ROOT / "tests" / program.name.removesuffix("_test")).rglob("*")):
        subprocess.run([program], cwd=build, env=environment(build, DODONA_REACHED=str(reached)), capture_output=True, check=False)
    tests = []
    for line in reached.read_text().splitlines():
        name, milliseconds, passed, numbers = line.split("\t")
        if passed == "1" and name != "end" and int(milliseconds) < 1000 * LONGEST:
            tests.append((name, int(milliseconds) / 1000, set(map(int, numbers.split()))))
    return sorted(tests, key=lambda test: test[1])


def killer(build, programs, number):
    """The program whose tests fail with the mutant; None if it survives; "nothing" if no test would see it differ."""
    seen = False
    for program, tests in programs:
        names = [test for test in tests if number in test[2]]
        if not names:
            continue
        seen = True
        # The fast ones alone, then the others: most mutants are killed by the first.
        for least, most in ((0, 0.1), (0.1, 1), (1, LONGEST)):
            part = [test[0] for test in names if least <= test[1] < most]
            if not part:
                continue
            limit = 10 + 10 * sum(test[1] for test in names if test[0] in part)
            try:
                status = subprocess.run([program, "--gtest_fail_fast", "--gtest_brief=1", "--gtest_filter=" + ":".join(part)], cwd=build,
                                        env=environment(build, DODONA_MUTANT=str(number)), capture_output=True, timeout=limit,
                                        check=False).returncode
            except subprocess.TimeoutExpired:
                return f"{program.name} (endless)"
            if status != 0:
                return program.name
    return None if seen else "nothing"


def answers_of(build, program, number, reached=""):
    """A hash of all answers with the mutant, none for 0; of what it printed before it failed or ran on far too long.
    `reached`: the file for the mutants that they would differ by."""
    try:
        return hashlib.sha256(subprocess.run([program], cwd=build, env=environment(
            build, DODONA_MUTANT=str(number), **({"DODONA_REACHED": str(reached)} if reached else {})), check=False,
            capture_output=True, timeout=600).stdout).hexdigest()
    except subprocess.TimeoutExpired:
        return "endless"


def name_of(mutant):
    return f"{mutant['file']}:{mutant['line']}:{mutant['column']}: {mutant['change']}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folders", nargs="+", choices=sorted(PROGRAMS))
    parser.add_argument("--mutants", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--programs", nargs="+", help="only these test programs")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    parser.add_argument("--drawn", action="store_true", help="the programs that draw worlds may kill too")
    asked = parser.parse_args()
    build = ROOT / asked.build
    OUT.mkdir(parents=True, exist_ok=True)
    kills = {folder: [one for one in PROGRAMS[folder] + DRAWN * asked.drawn if not asked.programs or one in asked.programs]
             for folder in asked.folders}
    programs = sorted({program for folder in asked.folders for program in kills[folder]})
    subprocess.run(["ninja", "-j1", "-C", str(build), *programs, SIGNATURE], check=True, stdout=subprocess.DEVNULL)
    objects, every = {}, []
    for archive in sorted(set(map(archive_of, asked.folders))):
        folders = [folder for folder in asked.folders if archive_of(folder) == archive]
        objects[archive], more = built_archive(build, archive, folders, len(every) + 1)
        every += more
    subprocess.run(["c++", "-std=c++20", "-O1", "-c", str(LISTENER), "-o",
                    str(OUT / "mutant_listener.o")], check=True)
    ready = {program: linked(build, program, objects) for program in programs}
    tests = {program: tests_of(build, made) for program, made in ready.items()}
    answers = linked(build, SIGNATURE, objects)
    accepted = answers_of(build, answers, 0, OUT / "answers.reached")
    in_answers = set(map(int, (OUT / "answers.reached").read_text().split("\t")[-1].split()))
    log = OUT / "results.jsonl"
    fates = {}
    if log.exists():
        fates = {one["name"]: one["by"] for one in map(json.loads, log.read_text().splitlines())}
    shown, chosen = {}, {}
    for folder in asked.folders:
        mine = [mutant for mutant in every if mutant["file"].startswith(folder + "/")]
        drawn = mine if asked.mutants is None else random.Random(asked.seed).sample(mine, min(asked.mutants, len(mine)))
        shown[folder] = (len(mine), drawn)
        chosen.update((mutant["number"], [(ready[program], tests[program]) for program in kills[folder]]) for mutant in drawn)

    def judged(mutant):
        name = name_of(mutant)
        if name in fates and not (asked.again and fates[name] in (None, "nothing")):
            return mutant, fates[name]
        by = killer(build, chosen[mutant["number"]], mutant["number"])
        seen = mutant["number"] in in_answers
        if by in (None, "nothing") and seen and answers_of(build, answers, mutant["number"]) != accepted:
            by = "signature"
        with log.open("a") as out:
            out.write(json.dumps({"name": name, "by": by}) + "\n")
        return mutant, by

    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        shown = {folder: (count, list(pool.map(judged, drawn))) for folder, (count, drawn) in shown.items()}
    for folder, (_, results) in shown.items():
        for mutant, by in results:
            if by in (None, "nothing"):
                source = (ROOT / mutant["file"]).read_text().splitlines()[mutant["line"] - 1].strip()
                print(f"{name_of(mutant)}{' (no test sees it differ)' if by else ''}: {source}")
    print("| folder | mutants | run | killed | share |\n|---|---|---|---|---|")
    for folder, (count, results) in shown.items():
        killed = sum(by not in (None, "nothing") for _, by in results)
        print(f"| `{folder}` | {count} | {len(results)} | {killed} | {100 * killed / max(1, len(results)):.1f} % |")


if __name__ == "__main__":
    main()
