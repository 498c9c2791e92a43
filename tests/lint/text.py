"""No tabs, no trailing blanks, a line end at the end, a source for every file of data, and no source that nobody can
open."""

import re
import sys

import tree

# "the project's notes on accuracy", "seeds, section 3": also over the end of a line of comment.
GAP = r"(?:\s|//+|#)+"
CLOSED = re.compile(rf"\b(?:project's|our|my|internal|unpublished){GAP}(?:own{GAP})?notes\b"
                    rf"|\bseeds,{GAP}section\b|\b(?:personal|private){GAP}communication\b", re.IGNORECASE)

COLUMNS = 100
# Compiled with Emscripten, too.
IN_BROWSERS = ("oracle/", "questions/", "cli/", "reports/")
# KeyOptions hold a vector.
NOT_THERE = re.compile(r"std::ranges::|constexpr (?:files::)?KeyOptions")
# Containers have no <=> there: the order is asked for by name, and made of == and <.
DEDUCED_ORDER = re.compile(r"\bstd::(?:vector|string|map|set|optional)\b(?:(?!\bstruct\b|\bclass\b).)*?\bauto operator<=>",
                           re.DOTALL)
# Pages that are generated, or of data.
NOT_PROSE = ("docs/files.md", "calibrate/", "lab/", "tests/", "reports/", "models/", "hardware/")


def too_long(lines):
    """Numbers of lines of prose that are wider; code, tables, headings and what has no blank may be wide."""
    is_code = False
    for number, line in enumerate(lines, 1):
        is_code ^= line.lstrip().startswith("```")
        prose = re.sub("`[^`]*`", "", line)
        if len(prose) > COLUMNS and not is_code and not line.startswith(("|", "#", "    ")) and " " in line.strip():
            yield number


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
        for what in NOT_THERE.findall(line) if path.startswith(IN_BROWSERS) else ():
            complaints.append(f"{path}:{number}: {what}, which the compiler for browsers lacks")
    for found in DEDUCED_ORDER.finditer(content) if path.startswith(IN_BROWSERS) else ():
        complaints.append(f"{path}:{content.count(chr(10), 0, found.end()) + 1}: auto operator<=>, where the compiler for "
                          "browsers needs std::strong_ordering")
    if path.endswith(".md") and not path.startswith(NOT_PROSE):
        for number in too_long(lines):
            complaints.append(f"{path}:{number}: more than {COLUMNS} columns")
    if content and not content.endswith("\n"):
        complaints.append(f"{path}:{len(lines)}: no line end at the end")
    for found in CLOSED.finditer(content) if not path.startswith("tests/lint/") else ():
        number = content.count("\n", 0, found.start()) + 1
        words = " ".join(word for word in found.group().split() if word.strip("/#"))
        complaints.append(f"{path}:{number}: {words!r} is a source that nobody can open")
    if path.endswith(".yaml") and path.startswith(("hardware/", "models/", "software/")):
        if not re.search(r"\bsource:\s*\S", content):
            complaints.append(f"{path}: no source:")
tree.report(complaints)
