"""first_answer.py ROOT YARDSTICK: a first answer from a clean clone without a compiler cache: is the build still cheap?

Counts processor time, not wall time, and compares it with what the compiler takes for a fixed file on this machine in the
same run, so that slow or busy machines do not decide. Skips (77) where packages are missing.
"""

import os
import resource
import subprocess
import sys
import tempfile

# A first answer takes MEASURED yardsticks; SLACK is for compilers and libraries of other versions.
MEASURED = 56
SLACK = 1.25

root = os.path.abspath(sys.argv[1])
yardstick_source = sys.argv[2]


def processor_seconds(command, **options):
    """Of the command and all that it starts; the command must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode == 3:
        print(f"skipped: {done.stderr.strip()}")
        sys.exit(77)
    if done.returncode != 0:
        print(f"FAILED: {command} exits with {done.returncode}\n{done.stdout}{done.stderr}")
        sys.exit(1)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    environment = dict(os.environ, CCACHE_DISABLE="1", NO_INSTALL="1")
    with tempfile.TemporaryDirectory() as work:
        clone = os.path.join(work, "dodona")
        os.mkdir(clone)
        listing = subprocess.run(["git", "-C", root, "ls-files", "-coz", "--exclude-standard"], capture_output=True)
        if listing.returncode != 0:
            print("skipped: not a Git checkout")
            sys.exit(77)
        subprocess.run(["tar", "-C", root, "--null", "-T", "-", "--ignore-failed-read", "-cf", f"{work}/tree.tar"],
                       input=listing.stdout, check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["tar", "-C", clone, "-xf", f"{work}/tree.tar"], check=True)

        compile_yardstick = ["c++", "-std=c++20", "-O2", "-c", yardstick_source, "-o", f"{work}/x.o"]
        processor_seconds(compile_yardstick, env=environment)  # the compiler itself comes from the disk once
        yardsticks = [processor_seconds(compile_yardstick, env=environment) for _ in range(3)]
        answer = processor_seconds([os.path.join(clone, "dodona"), "plan", "resnet50", "--machine", "abci", "--gpus", "4"],
                                   env=environment)
        yardsticks += [processor_seconds(compile_yardstick, env=environment) for _ in range(3)]
    yardstick = sorted(yardsticks)[len(yardsticks) // 2]
    ratio = answer / yardstick
    print(f"a first answer takes {answer:.0f} s of processor time, {ratio:.0f} yardsticks of {yardstick:.2f} s; "
          f"at most {SLACK * MEASURED:.0f}")
    sys.exit(0 if ratio <= SLACK * MEASURED else 1)


main()
