"""changes.py [OLD [NEW]]: what changed in the answers between two revisions, on one screen. Default: HEAD and the
working tree. Answers of a revision are those that its tests/signature/answers.cpp prints; a revision without one gets
the program of the working tree. What a revision answers is kept in build/answers."""

import argparse
import collections
import hashlib
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "answers"
HERE = pathlib.Path("tests", "signature")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
CAUSES, DIFFERENCES, OF_A_CAUSE, FAMILIES, WIDTH = 20, 20, 2, 4, 120  # shown


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def printed_by(tree):
    """What the program of a source tree prints."""
    folder = tree / "build" / "test"
    # Compilations are cached whatever the tree's path is.
    environment = dict(os.environ, DODONA_SOURCE=str(tree), CCACHE_BASEDIR=os.environ.get("CCACHE_BASEDIR", str(tree)))
    if not (folder / "build.ninja").exists():
        subprocess.run(["meson", "setup", folder, tree, "--buildtype=release", "-Dtests=enabled", "-Dunity=on",
                        "-Dunity_size=32"], check=True, env=environment, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder, HERE / "answers"], check=True, env=environment, stdout=sys.stderr)
    return subprocess.run([folder / HERE / "answers"], check=True, text=True, env=environment,
                          stdout=subprocess.PIPE).stdout


def printed_at(commit):
    """The same of a revision, which is checked out for it once."""
    kept = KEPT / f"{commit}.txt"
    has_program = git("ls-tree", commit, str(HERE / "answers.cpp")) != ""
    if not has_program:
        sources = b"".join(path.read_bytes() for path in sorted((ROOT / HERE).glob("*.?pp")))
        kept = KEPT / f"{commit}-{hashlib.sha256(sources).hexdigest()[:12]}.txt"
    tree = KEPT / commit
    if kept.exists():
        return kept.read_text(encoding="utf-8")
    git("worktree", "prune")
    if not tree.exists():
        git("worktree", "add", "--detach", str(tree), commit)
    if not has_program:
        is_listed = (tree / HERE).exists()
        shutil.copytree(ROOT / HERE, tree / HERE, dirs_exist_ok=True)
        if not is_listed:
            with open(tree / "tests" / "meson.build", "a", encoding="utf-8") as listing:
                listing.write(f"subdir('{HERE.name}')\n")
    printed = printed_by(tree)
    git("worktree", "remove", "--force", str(tree))
    kept.write_text(printed, encoding="utf-8")
    return printed


def read(printed):
    """Answers by question. A key that is there several times is numbered."""
    questions = collections.defaultdict(dict)
    for line in printed.splitlines():
        family, question, key, value = line.split("\t")
        answers = questions[family, question]
        repeated = sum(1 for known, _ in answers if known == key) if (key, 0) in answers else 0
        answers[key, repeated] = value
    return questions


def change(old, new):
    """log(new / old) of the number that differs most; infinite where more than numbers of one sign differs."""
    if old is None or new is None or NUMBER.sub("", old) != NUMBER.sub("", new):
        return math.inf
    pairs = [(float(a), float(b)) for a, b in zip(NUMBER.findall(old), NUMBER.findall(new)) if a != b]
    if not pairs or any(a * b <= 0 for a, b in pairs):
        return math.inf
    return max((math.log(b / a) for a, b in pairs), key=abs)


def percent(logarithm):
    if not math.isfinite(logarithm):
        return ""
    ratio = 100 * math.expm1(logarithm)
    return f"{ratio:+,.0f} %" if abs(ratio) >= 10 else f"{ratio:+.2g} %"


def cut(text, width):
    return text if len(text) <= width else text[: width - 3] + "..."


def several(count, one):
    return f"{count:,} {one if count == 1 else one + 's' if one[-1] != 'y' else one[:-1] + 'ies'}"


def show(old, new):
    both = [question for question in new if question in old]
    differences = []
    asked = collections.Counter()
    for question in both:
        was, now = old[question], new[question]
        for key in dict.fromkeys([*was, *now]):
            cause = key[0].split(":")[0]
            asked[cause] += 1
            if was.get(key) != now.get(key):
                values = was.get(key), now.get(key)
                differences.append((change(*values), cause, key[0], question, *values))
    changed = dict.fromkeys(question for *_, question, _, _ in differences)
    families = list(dict.fromkeys(family for family, _ in changed))
    print(f"{several(len(differences), 'answer')} of {sum(asked.values()):,} changed, in {len(changed):,} of "
          f"{several(len(both), 'question')}; {len(new) - len(both):,} are new, {len(old) - len(both):,} gone")
    if families:
        more = ["..."] if families[FAMILIES:] else []
        print(f"{several(len(families), 'family')}: {'; '.join(families[:FAMILIES] + more)}")
    if not differences:
        return

    by_cause = collections.defaultdict(list)
    for difference in differences:
        by_cause[difference[1]].append(difference)
    print(f"\n{'cause':40} {'changed':>8} {'of':>8} {'others':>7} {'median':>9} {'least':>9} {'most':>9}")
    causes = sorted(by_cause, key=lambda cause: (-len(by_cause[cause]), cause))
    for cause in causes[:CAUSES]:
        logarithms = [logarithm for logarithm, *_ in by_cause[cause] if math.isfinite(logarithm)]
        spread = [percent(f(logarithms)) for f in (statistics.median, min, max)] if logarithms else ["", "", ""]
        print(f"{cut(cause, 40):40} {len(by_cause[cause]):8,} {asked[cause]:8,} "
              f"{len(by_cause[cause]) - len(logarithms) or '':>7} {spread[0]:>9} {spread[1]:>9} {spread[2]:>9}")
    if causes[CAUSES:]:
        rest = ", ".join(f"{cause} {len(by_cause[cause]):,}" for cause in causes[CAUSES:])
        print(textwrap.fill(f"{several(len(causes) - CAUSES, 'more cause')}: {rest}", WIDTH))

    print(f"\nlargest differences, at most {OF_A_CAUSE} of a cause")
    shown, rows = collections.Counter(), 0
    for logarithm, cause, key, (family, question), was, now in sorted(
            differences, key=lambda difference: -abs(difference[0])):
        shown[cause] += 1
        most = DIFFERENCES if math.isfinite(logarithm) else DIFFERENCES // 2  # what is no ratio leaves room for what is
        if shown[cause] <= OF_A_CAUSE and rows < most:
            rows += 1
            print(f"{percent(logarithm):>9} {cut(key, 44)}: {cut(was or 'none', 34)} -> {cut(now or 'none', 34)}  "
                  f"({cut(family, 34)}, {cut(question, 34)})")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("old", nargs="?", default="HEAD", help="a revision")
parser.add_argument("new", nargs="?", help="a revision; default: the working tree")
asked_for = parser.parse_args()
KEPT.mkdir(parents=True, exist_ok=True)
before = printed_at(git("rev-parse", "--verify", asked_for.old + "^{commit}"))
after = printed_at(git("rev-parse", "--verify", asked_for.new + "^{commit}")) if asked_for.new else printed_by(ROOT)
show(read(before), read(after))
