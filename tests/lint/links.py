"""links.py ROOT: every relative link of a page, with its heading, and every path in `backticks` exists in the repository.

A path in backticks is looked for from the root and in oracle/, with `*` for any characters; words in capitals (`NAME.cpp`),
pages' own example files (`<!-- file: x -->`) and folders that a build makes stand for something else."""

import fnmatch
import os
import re
import sys

import tree

root = sys.argv[1]
known = tree.files(root)
folders = {folder for path in known for folder in [path.rsplit("/", i)[0] for i in range(1, path.count("/") + 1)]}


def without_code(text):
    return re.sub(r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)


def anchors(path):
    """GitHub's names of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", without_code(tree.text(root, path)), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def exists(path):
    path = path.rstrip("/")
    return any(fnmatch.filter(known, place) or place in folders for place in (path, "oracle/" + path))


complaints = []
for page in tree.files(root, ".md"):
    folder = os.path.dirname(page)
    whole = tree.text(root, page)
    own = set(re.findall(r"<!-- file: (\S+) -->", whole))
    for number, line in enumerate(without_code(whole).split("\n"), 1):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, heading = target.partition("#")
            path = os.path.normpath(os.path.join(folder, path)) if path else page
            if path not in known and path not in folders:
                complaints.append(f"{page}:{number}: {target}: no such file")
            elif heading and heading not in anchors(path):
                complaints.append(f"{page}:{number}: {target}: no such heading")
        for path in re.findall(r"`([\w*][\w.*-]*(?:/[\w.*-]+)+/?)`", line):
            name = path.rstrip("/").rsplit("/", 1)[-1]
            if path.startswith("build/") or re.match(r"[A-Z]{2,}", name.split(".")[0]) or path in own:
                continue
            if ("." in name or path.endswith("/")) and not exists(path) and not exists(os.path.join(folder, path)):
                complaints.append(f"{page}:{number}: {path}: no such file")
tree.report(complaints)
