"""How a build folder compiles each source of the repository."""

import json
import os
import shlex


def commands(root, build):
    """Source -> the command that compiles it, without input and output, from BUILD/compile_commands.json."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    result = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        keep = [w for i, w in enumerate(words)
                if w not in ("-MD", "-c", "-o", "-MF", "-MQ", "ccache") and words[i - 1] not in ("-c", "-o", "-MF", "-MQ")]
        for path in sources_of(os.path.join(entry["directory"], entry["file"]), root, build):
            if path.endswith(".cpp"):
                result.setdefault(path, keep)
    return result


def sources_of(path, root, build):
    """The sources of the repository that a source compiles: itself, or those that a unity build includes in it."""
    if "-unity" not in os.path.basename(path):
        return [os.path.relpath(path, root)]
    with open(path, encoding="utf-8") as file:
        return [os.path.relpath(os.path.join(build, line.split("<")[1].split(">")[0]), root)
                for line in file if line.startswith("#include")]
