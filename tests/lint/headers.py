"""headers.py ROOT BUILD [--all]: the headers of oracle/, cli/, reports/ and calibrate/ compile alone, but for those of
layers that are not built here. Without --all only those that the source of their name does not include first: the
others, seven of eight, would take six minutes, and a build without unity compiles them.

Takes the compiler and its flags from BUILD/compile_commands.json and remembers in BUILD/headers/ what each header
read, so that only headers with a newer file in that list are compiled again.
"""

import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

import tree

root, build = map(os.path.abspath, sys.argv[1:3])
stamps = os.path.join(build, "headers")


def commands():
    """Folder -> the command that compiles a source of it, without input and output."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    result = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        keep = [w for i, w in enumerate(words)
                if w not in ("-MD", "-c", "-o", "-MF", "-MQ", "ccache") and words[i - 1] not in ("-c", "-o", "-MF", "-MQ")]
        for path in sources_of(os.path.join(entry["directory"], entry["file"])):
            if path.endswith(".cpp"):
                result.setdefault(os.path.dirname(path), keep)
    return result


def sources_of(path):
    """The sources of the repository that a source compiles: itself, or those that a unity build includes in it."""
    if "-unity" not in os.path.basename(path):
        return [os.path.relpath(path, root)]
    with open(path, encoding="utf-8") as file:
        return [os.path.relpath(os.path.join(build, line.split("<")[1].split(">")[0]), root)
                for line in file if line.startswith("#include")]


def is_current(stamp):
    try:
        with open(stamp, encoding="utf-8") as file:
            inputs = file.read().replace("\\\n", " ").split(":", 1)[1].split()
        checked = os.path.getmtime(stamp)
        return all(os.path.getmtime(os.path.join(build, path)) < checked for path in inputs)
    except (OSError, IndexError):
        return False


def check(header, command):
    stamp = os.path.join(stamps, header.replace("/", "-") + ".d")
    if is_current(stamp):
        return True
    source = os.path.join(root, header)
    done = subprocess.run([*command, "-fsyntax-only", "-MD", "-MF", stamp + ".new", "-MT", "x",
                           "-include", source, "-x", "c++", os.devnull], cwd=build)
    if done.returncode == 0:
        os.replace(stamp + ".new", stamp)
    return done.returncode == 0


def has_own_source(header):
    """Whether the source of the header's name includes it before anything else."""
    source = header.removesuffix(".hpp") + ".cpp"
    if not os.path.exists(os.path.join(root, source)):
        return False
    includes = [line for line in tree.text(root, source).splitlines() if line.startswith("#include")]
    return bool(includes) and includes[0].rstrip('"').endswith("/" + os.path.basename(header))


def main():
    known = commands()
    if not known:
        tree.skip("nothing is compiled yet")
    os.makedirs(stamps, exist_ok=True)
    any_command = next(iter(known.values()))
    headers = tree.files(root, ".hpp", within=("oracle/", "questions/", "cli/", "reports/", "calibrate/", "lab/"))
    layers, _ = tree.layers(root)
    built = {tree.layer_of(os.path.join(folder, "a.cpp"), layers) for folder in known}
    headers = [h for h in headers if tree.layer_of(h, layers) in built]
    if "--all" not in sys.argv:
        headers = [h for h in headers if not has_own_source(h)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        good = list(pool.map(lambda h: check(h, known.get(os.path.dirname(h), any_command)), headers))
    tree.report([f"{header}: does not compile alone" for header, ok in zip(headers, good) if not ok])


main()
