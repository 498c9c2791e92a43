"""sweep.py SWEEP PROGRAM SOURCE: dodona-sweep on ranks of this host writes what `dodona report` writes, whatever their number; what
is stopped keeps its points and goes on; a fault is said once.

Skips (77) where there is no mpirun.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sweep, program, source = (os.path.abspath(path) for path in sys.argv[1:4])
ENVIRONMENT = dict(os.environ, DODONA_DATA=source)
JOB = ["resnet50", "--machine", "abci", "--gpus", "1..64", "--strategy", "data,pipeline,filter", "--batch", "256", "--batch-per-gpu", "32"]
LONG_JOB = ["gpt3-20b", "--machine", "selene", "--gpus", "8..1024:8", "--batch", "1024"]


def fail(why):
    print(f"FAILED: {why}")
    sys.exit(1)


def command(ranks, words):
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(ranks), sweep, *words]


def run(words, code=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=250, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    if done.returncode != code:
        fail(f"{words} exits with {done.returncode}: {done.stderr}")
    return done.stderr


def content(file):
    with open(file, encoding="utf-8") as stream:
        return stream.read()


def check_ranks(folder):
    expected = os.path.join(folder, "report.json")
    run([program, "report", *JOB, "-o", expected])
    for ranks in (1, 2, 4):
        file = os.path.join(folder, f"{ranks}.json")
        run(command(ranks, [*JOB, "-o", file]))
        if content(file) != content(expected):
            fail(f"{ranks} ranks do not write what `dodona report` writes")
    page = os.path.join(folder, "page.md")
    run([program, "report", "--from", file, "-o", page])
    if "resnet50 on abci" not in content(page):
        fail("`dodona report --from` does not show a sweep")


def check_faults(folder):
    """Rank 0 says what is wrong, the others say nothing."""
    file = os.path.join(folder, "none.json")
    for words, expected in ((["resnet5", *JOB[1:], "-o", file], "did you mean \"resnet50\""), ([*JOB, "-o", "x.html"], "not as html"),
                            (JOB, "--output"), ([*JOB, "--gpu", "8"], "--gpu")):
        said = run(command(3, words), code=2)
        if said.count("error:") != 1 or expected not in said:
            fail(f"{words}: {said}")
    if os.path.exists(file):
        fail("a sweep of nothing writes a file")
    if "dodona-sweep" not in subprocess.run(command(2, ["--help"]), capture_output=True, text=True, timeout=60).stdout:
        fail("there is no help")


def points(file):
    return sum(len(strategy["points"]) for scaling in json.loads(content(file))["scalings"] for strategy in scaling["strategies"])


def check_stop(folder):
    """Stopped after its first points, a sweep has them in its file; with --resume it is the same in the end."""
    whole, stopped = (os.path.join(folder, name) for name in ("whole.json", "stopped.json"))
    run([program, "report", *LONG_JOB, "-o", whole])
    job = subprocess.Popen(command(3, [*LONG_JOB, "-o", stopped]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    while not os.path.exists(stopped) and job.poll() is None:
        time.sleep(0.01)
    job.send_signal(signal.SIGINT)
    job.wait(timeout=60)
    if not 0 < points(stopped) < points(whole) or json.loads(content(stopped))["complete"]:
        fail(f"stopped, the file has {points(stopped)} of {points(whole)} points")
    run(command(3, [*LONG_JOB, "-o", stopped, "--resume"]))
    if content(stopped) != content(whole):
        fail("a sweep that went on is not that which was not stopped")


def main():
    if shutil.which("mpirun") is None:
        print("skipped: no mpirun")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        check_ranks(folder)
        check_faults(folder)
        check_stop(folder)
    print("the same bytes with 1, 2 and 4 ranks, and after a stop")


main()
