"""No tabs, no trailing blanks, a line end at the end, and a source for every file of data."""

import re
import sys

import tree

root = sys.argv[1]
complaints = []
for path in tree.files(root, ".cpp", ".hpp", ".py", ".sh", ".yaml", ".md", "meson.build", "LAYERS"):
    content = tree.text(root, path)
    lines = content.split("\n")
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            complaints.append(f"{path}:{number}: tab")
        if line != line.rstrip():
            complaints.append(f"{path}:{number}: trailing blank")
    if content and not content.endswith("\n"):
        complaints.append(f"{path}:{len(lines)}: no line end at the end")
    if path.endswith(".yaml") and path.startswith(("hardware/", "models/", "oracle/plan/memory/")):
        if not re.search(r"\bsource:\s*\S", content):
            complaints.append(f"{path}: no source:")
tree.report(complaints)
