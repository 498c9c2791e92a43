"""words.py ROOT: private words are not used more often. Names and comments are in the words of the field; a folder may
have as many of those below as tests/lint/words.txt says, a number that may only fall: DODONA_ACCEPT=1 lowers it."""

import os
import re
import sys

import tree

# Private words, and what to say instead. Words with endings of their own are separated by |.
WORDS = [
    ("afresh|anew", "again, from the start"),
    ("alike", "equal, identical, shared, of one kind"),
    ("amiss", "wrong"),
    ("at home", "local, in its own segment"),
    ("beside", "next to, in addition to, during, together with"),
    ("besides", "in addition to, except"),
    ("circle|circles", "cycle"),
    ("crew", "workers"),
    ("dear|dearer|dearest", "expensive"),
    ("forecast|forecasts", "prediction"),
    ("fresh", "new"),
    ("go on|goes on|went on", "continue, resume"),
    ("hand over|hands over|handed", "pass, start"),
    ("homeless", "unplaced"),
    ("k least", "kMin..."),
    ("k most", "kMax..."),
    ("ladder|ladders", "sequence, escalation"),
    ("lends|lend|lent", "reserve, assign"),
    ("lets", "allow, permit"),
    ("lie|lies", "be, be in"),
    ("likeness", "correlation, similarity"),
    ("meant", "intended, resolved"),
    ("mild|milder|mildest", "small, smallest change"),
    ("newcomer|newcomers", "new user"),
    ("ours", "assumed here, of this program"),
    ("pace", "period, time of the slowest stage"),
    ("plain", "simple, unsharded, without ..."),
    ("played|plays", "simulated, executed"),
    ("put off|puts off", "deferred"),
    ("quicker|quickest", "faster, fastest"),
    ("rival|rivals", "alternative"),
    ("shelf", "library, folder of built-in files"),
    ("show", "print, report, display"),
    ("somebody|nobody", "who it is: a user, a caller, no rank"),
    ("spoken", "alias"),
    ("standing", "rank, position, state"),
    ("stretch|stretches", "interval"),
    ("tells|told", "report, print, distinguish"),
    ("thing|things", "what it is"),
    ("usual|usually", "default, typical"),
    ("wants|wanted", "require, request"),
    ("way", "method, direction, path"),
    ("whatever", "any, independently of"),
    ("wish|wishes", "request"),
]
# Comments that start with a relative clause or without a subject.
STARTS = re.compile(r"(?://[/!]?<?|^#) (What|Of|How|By how|Where|Which|Whose|Who|As of|The same)\b", re.MULTILINE)
PRIVATE = re.compile(rf"\b(?:{'|'.join(words for words, _ in WORDS)})\b", re.IGNORECASE)
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh", ".h", ".py")
BOUNDS = "tests/lint/words.txt"


def say(word):
    words = word.lower()
    return next(instead for names, instead in WORDS if words in names.split("|"))


def found_in(line):
    """(a private word, what to say instead), for each use. Parts of names are words: kMostNodes is "k Most Nodes"."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", line)
    return [(start, "start with a noun or a verb") for start in STARTS.findall(line)] + \
           [(word, "say " + say(word)) for word in PRIVATE.findall(parts)]


def folder_of(path):
    """oracle/step, cli, tests: the first two folders, of tests the first."""
    folders = path.split("/")[:-1]
    return "/".join(folders[:1 if folders[:1] == ["tests"] else 2])


def uses_by_folder(root):
    """folder -> (path, line, private word, what to say instead), for each use"""
    uses = {}
    for path in tree.files(root, *SUFFIXES):
        for number, line in enumerate(tree.text(root, path).splitlines(), 1):
            if not path.startswith("tests/lint/"):
                uses.setdefault(folder_of(path), []).extend((path, number, *use) for use in found_in(line))
    return uses


def complaints(root, uses, bounds):
    uncommitted = {*(tree.git(root, "diff", "--name-only", "HEAD") or []),
                   *(tree.git(root, "ls-files", "-o", "--exclude-standard") or [])}
    for folder, found in sorted(uses.items()):
        if len(found) > bounds.get(folder, 0):
            places = [use for use in found if use[0] in uncommitted]
            yield (f"{folder or '.'}: {len(found)} private words, {bounds.get(folder, 0)} at most ({BOUNDS}); "
                   f"those of {'files that are not committed' if places else 'all files'}:")
            for path, number, word, instead in places or found:
                yield f'  {path}:{number}: "{word}": {instead}'


def main():
    root = sys.argv[1]
    lines = [line for line in tree.text(root, BOUNDS).splitlines() if not line.startswith("#")]
    bounds = {folder: int(bound) for folder, bound in (line.rsplit(" ", 1) for line in lines)}
    uses = uses_by_folder(root)
    if os.environ.get("DODONA_ACCEPT") == "1":
        left = {folder: min(bound, len(uses.get(folder, []))) for folder, bound in bounds.items()}
        with open(os.path.join(root, BOUNDS), "w", encoding="utf-8") as file:
            file.write("# folder, and how many private words (words.py) it has at most. These numbers may only fall.\n")
            file.writelines(f"{folder} {bound}\n" for folder, bound in sorted(left.items()) if bound)
    tree.report(list(complaints(root, uses, bounds)))


main()
