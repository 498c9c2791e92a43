"""killed.py PROGRAM SOURCE WHAT [--kills N] [--seed N]: kill -9 at random moments of a long command, then the command to its
end. What it leaves must be what a run leaves that nobody killed. WHAT: calibrate, report or trials."""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

MODEL = """model: tiny
source: "here"
input: {image: {channel: 3, height: 32, width: 32}}
layers:
  - {name: conv1, op: conv, filters: 16, kernel: 3, pad: 1}
  - {name: relu1, op: relu}
  - {name: pool1, op: global_pool}
  - {name: fc, op: linear, out: 10}
"""
STUDY = """trials: killed
space:
  a: [1, 2, 3, 4, 5, 6]
  b: [1, 2, 3, 4]
command: sleep 0.02; echo {trial} >> {folder}/ran
"""
TRIALS = 24


def fail(why):
    sys.exit(f"FAILED: {why}")


class Place:
    """A folder in which a command runs: to its end, or until it is killed."""

    def __init__(self, asked, folder):
        self.program = os.path.abspath(asked.program)
        self.environment = dict(os.environ, DODONA_DATA=os.path.abspath(asked.source))
        self.folder = pathlib.Path(folder)

    def started(self, words):
        return subprocess.Popen([self.program, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def run(self, words):
        with self.started(words) as process:
            said = process.stderr.read()
        if process.returncode != 0:
            fail(f"{words} exits with {process.returncode}: {said}")

    def run_killed(self, words, after):
        """Whether the kill, so many seconds after the start, found it running."""
        process = self.started(words)
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.wait()
        if process.returncode not in (0, -signal.SIGKILL):
            fail(f"{words} exits with {process.returncode}: {process.stderr.read()}")
        process.stderr.close()  # children that outlive it may hold the other end
        return process.returncode != 0

    def text(self, name):
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else ""


class Calibrate:
    """Each kill leaves the cases that were answered, and the machine file is the same in the end."""

    def __init__(self, asked):
        backend = pathlib.Path(asked.source).resolve() / "tests/cli/made_up_backend.py"
        self.words = ["calibrate", "--program", f"{sys.executable} {backend}", "--model", "tiny.yaml", "--micro-batch", "4",
                      "--threads", "1", "-o", "mine.yaml"]
        self.known = ""

    def prepare(self, place):
        (place.folder / "tiny.yaml").write_text(MODEL, encoding="utf-8")

    def after_a_kill(self, place):
        records = place.text("mine.records.jsonl")
        whole = records[:records.rfind("\n") + 1]
        if not whole.startswith(self.known):
            fail("records that were written before a kill are gone")
        self.known = whole
        return self.words

    def result(self, place):
        cases = [json.loads(line) for line in place.text("mine.records.jsonl").splitlines()]
        measured = sorted(json.dumps([record["pass"], record["case"]]) for record in cases if record["kind"] == "measurement")
        if len(set(measured)) != len(measured):
            fail("a case was measured twice")
        return place.text("mine.yaml"), measured


class Report:
    """The file is there as a whole or not at all, and the same to the byte in the end."""

    words = ["report", "resnet50", "--machine", "abci", "--gpus", "4..64", "--batch", "1024", "--threads", "1", "-o",
             "report.json"]

    def __init__(self, asked):
        pass

    def prepare(self, place):
        pass

    def after_a_kill(self, place):
        text = place.text("report.json")
        if text:
            json.loads(text)
        return [*self.words, "--resume"]

    def result(self, place):
        return place.text("report.json")


class Trials:
    """Trials that finished before a kill do not run again, and all have finished in the end."""

    words = ["trials", "run", "study.yaml", "--slots", "2", "--into", "out"]

    def __init__(self, asked):
        self.ran = {}

    def prepare(self, place):
        (place.folder / "study.yaml").write_text(STUDY, encoding="utf-8")

    def check_finished(self, place):
        for trial, times in self.ran.items():
            if place.text(f"out/{trial}/ran") != times:
                fail(f"{trial} had finished and ran again")

    def after_a_kill(self, place):
        self.check_finished(place)
        for line in place.text("out/journal").splitlines():
            words = line.split()
            if words[0] == "end" and words[3:4] == ["finished"]:
                trial = f"trial-{int(words[1]) + 1:04}"
                self.ran[trial] = place.text(f"out/{trial}/ran")
        return self.words

    def result(self, place):
        self.check_finished(place)
        rows = [line.split(",") for line in place.text("out/trials.csv").splitlines()]
        columns = [rows[0].index(name) for name in ("trial", "a", "b", "state")]
        finished = sorted([row[i] for i in columns] for row in rows[1:] if row[columns[3]] == "finished")
        if len(finished) != TRIALS:
            fail(f"{len(finished)} trials have finished")
        return finished


KINDS = {"calibrate": Calibrate, "report": Report, "trials": Trials}


def whole_result(asked):
    """What a run leaves that nobody kills, and how many seconds it takes."""
    kind = KINDS[asked.what](asked)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(asked, folder)
        kind.prepare(place)
        begin = time.monotonic()
        place.run(kind.words)
        return kind.result(place), time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("what", choices=sorted(KINDS))
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    whole, seconds = whole_result(asked)
    draw = random.Random(asked.seed)
    kind = KINDS[asked.what](asked)
    killed = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Place(asked, folder)
        kind.prepare(place)
        words = kind.words
        for _ in range(asked.kills):
            killed += place.run_killed(words, draw.uniform(0, 2 * seconds / asked.kills))
            words = kind.after_a_kill(place)
        place.run(words)
        if kind.result(place) != whole:
            fail(f"after {killed} kills the result is not that of a run at once")
    if killed == 0:
        fail("no kill found the command running")
    print(f"killed {killed} times in {seconds:.1f} s of {asked.what}: the same result")


main()
