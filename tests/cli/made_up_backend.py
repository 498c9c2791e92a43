"""A back end of `dodona calibrate` whose device is made up: 5 us to start, 100 GFLOP/s, 10 GB/s. It fails softmaxes and
dies at matrix products with m = 13. With an argument it stops answering after so many cases."""

import json
import os
import sys

DATE = "2026-11-20T12:00:00Z"


def says(**what):
    print(json.dumps({"calibration": 1, "backend": "made up", "pass": "time", "date": DATE, **what}), flush=True)


def seconds(of):
    extents = [float(n) for name in ("input", "window") for n in of.get(name, "1").split("x")]
    work = of.get("flops", 0.0)
    size = of.get("moved", of.get("bytes", 0.0))
    if of["benchmark"] == "matmul":
        work, size = 2 * of["m"] * of["n"] * of["k"] * of["batch"], 0
    if of["benchmark"] == "convolution":
        work = 2 * of["images"] * of["channels"] * of["filters"]
        for n in extents:
            work *= n
    return 5e-6 + work / 100e9 + size / 10e9


json.loads(sys.stdin.readline())
says(kind="environment", facts={"device": "Made up", "memory": "16e9", "memory_bandwidth": "10e9", "cores": "1"})
answered = 0
for line in sys.stdin:
    case = json.loads(line)
    if len(sys.argv) > 1 and answered >= int(sys.argv[1]):
        os.kill(os.getppid(), 2)
    if case["benchmark"] == "matmul" and case["m"] == 13:
        os.abort()
    if case.get("operator") == "softmax":
        says(kind="failure", case=case, why="softmax is not made up")
        continue
    t = seconds(case)
    says(kind="measurement", case=case, time={"least": t, "first_quartile": t, "median": t, "third_quartile": 1.01 * t,
                                              "samples": 10, "estimator": "least", "rejected": {}})
    answered += 1
