"""interrupted_report.py PROGRAM SOURCE: Ctrl-C during a long report keeps the points that are finished, and --resume goes on
to the bytes of a report that nobody interrupted."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile

program, source = (os.path.abspath(path) for path in sys.argv[1:3])
QUESTION = ["report", "gpt3-175b", "--machine", "selene", "--gpus", "64..4096", "--batch", "1536", "--threads", "1"]


def fail(why):
    print(f"FAILED: {why}")
    sys.exit(1)


def run(*words):
    done = subprocess.run([program, *QUESTION, *words], capture_output=True, text=True, check=False,
                          env=dict(os.environ, DODONA_DATA=source))
    if done.returncode != 0:
        fail(f"{words} exits with {done.returncode}: {done.stderr}")


def run_interrupted(*words):
    """The exit code of a run that gets SIGINT once it says on its terminal that points are finished."""
    ours, its = pty.openpty()
    with subprocess.Popen([program, *QUESTION, *words], stdout=subprocess.DEVNULL, stderr=its,
                          env=dict(os.environ, DODONA_DATA=source)) as process:
        os.close(its)
        said = b""
        try:
            while not re.search(rb"[1-9]\d* of \d+ points", said):
                said += os.read(ours, 1 << 12)
            process.send_signal(signal.SIGINT)
            while os.read(ours, 1 << 12):
                pass
        except OSError:
            pass  # the terminal is closed: the run has ended
    os.close(ours)
    return process.returncode


def points(file):
    with open(file, encoding="utf-8") as stream:
        report = json.load(stream)
    found = [len(part) for scaling in report["scalings"]
             for part in (scaling["answers"], *(strategy["points"] for strategy in scaling["strategies"]))]
    return report["complete"], sum(found)


def main():
    with tempfile.TemporaryDirectory() as folder:
        whole, part = os.path.join(folder, "whole.json"), os.path.join(folder, "part.json")
        run("-o", whole)
        code = run_interrupted("-o", part)
        complete, finished = points(part)
        if (code, complete) not in ((130, False), (0, True)):
            fail(f"exit code {code}, and the report says that it is {'' if complete else 'not '}complete")
        if finished == 0 or finished > points(whole)[1]:
            fail(f"{finished} points are kept")
        run("--resume", "-o", part)
        with open(whole, "rb") as one, open(part, "rb") as other:
            if one.read() != other.read():
                fail("what went on is not what ran at once")
    print(f"went on from {finished} points")


main()
