"""PyTorch's operators as a back end of `dodona calibrate`: PYTHON. What it answers, and that nothing else is answered."""

import json
import pathlib
import subprocess
import sys

import hosts

PROGRAM = str(pathlib.Path(__file__).parents[2] / "bindings/python/dodona/torch_kernels.py")
SETTINGS = {"pass": "time", "quick": True, "most_seconds": 0.02, "seed": 1}
CONVOLUTION = {"benchmark": "convolution", "images": 2, "channels": 8, "filters": 16, "groups": 1, "input": "12x12",
               "window": "3x3", "stride": "2x2", "pad": "1x1", "dilation": "1x1", "layout": "nchw", "precision": "fp32"}
PRODUCT = {"benchmark": "matmul", "m": 12, "n": 24, "k": 40, "batch": 1, "precision": "fp32"}
IMAGES = {"benchmark": "operator", "images": 2, "channels": 8, "input": "12x12", "precision": "fp32", "moved": 1e5,
          "flops": 1e5}
POOL = {**IMAGES, "operator": "max-pool", "window": "2x2", "stride": "2x2", "pad": "0x0", "dilation": "1x1"}
ROWS = {"benchmark": "operator", "rows": 64, "columns": 48, "precision": "fp32"}
LOOKUPS = {"benchmark": "gather", "rows": 100, "width": 8, "lookups": 64, "precision": "fp32"}
CELL = {"benchmark": "recurrent", "samples": 4, "cells": 1, "precision": "fp32"}
DIRECTIONS = ("forward", "backward-input", "backward-weight")
MEASURED = [*({**shape, "direction": each} for shape in (CONVOLUTION, PRODUCT) for each in DIRECTIONS),
            *({**shape, "direction": each} for shape in (POOL, {**IMAGES, "operator": "relu"},
                                                         {**IMAGES, "operator": "batch-norm"}, {**POOL, "operator": "average-pool"},
                                                         *({**ROWS, "operator": norm} for norm in ("layer-norm", "rms-norm")),
                                                         LOOKUPS) for each in DIRECTIONS[:2]),
            {**CELL, "gates": 128, "inputs": 32, "direction": "forward"},
            {**CELL, "gates": 32, "inputs": 128, "direction": "backward-weight"},
            {"benchmark": "stream", "bytes": 120000, "pattern": "triad"}, {"benchmark": "launch", "kind": "plain"},
            {"benchmark": "crowd", "bytes": 1 << 18, "passes": 5, "cores": 1, "threads": 2},
            {**PRODUCT, "benchmark": "crowd", "kernel": "matmul", "direction": "forward", "passes": 3, "cores": 1,
             "operators": 2, "threads": 1},
            {**CONVOLUTION, "benchmark": "crowd", "kernel": "convolution", "direction": "forward", "passes": 3, "cores": 1,
             "operators": 2, "threads": 2},
            {"benchmark": "fork", "threads": 2}]
REFUSED = [{**PRODUCT, "precision": "fp8", "direction": "forward"}, {"benchmark": "file", "operation": "write"},
           {**IMAGES, "operator": "pirouette", "direction": "forward"},
           {**CELL, "gates": 48, "inputs": 32, "direction": "forward"}]


def check(holds, text):
    print(("ok   " if holds else "FAIL ") + text, flush=True)
    return bool(holds)


def test():
    python = sys.argv[1]
    if subprocess.run([python, "-c", "import torch"], capture_output=True, timeout=60).returncode != 0:
        raise hosts.Skip("there is no PyTorch")
    asked = "".join(json.dumps(line) + "\n" for line in [SETTINGS, *MEASURED, *REFUSED])
    done = subprocess.run([python, PROGRAM, "1"], input=asked, capture_output=True, text=True, timeout=120)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    holds = check(done.returncode == 0 and len(lines) == 1 + len(MEASURED) + len(REFUSED),
                  f"a line for each that was asked: {len(lines)} {done.stderr[-300:]}")
    holds &= check(lines[0]["kind"] == "environment" and lines[0]["facts"]["torch"], f"first what it runs: {lines[0]}")
    for case, line in zip(MEASURED, lines[1:]):
        time = line.get("time", {})
        holds &= check(line["kind"] == "measurement" and line["case"] == case and time["least"] <= time["median"] and
                       (0 < time["least"] or case["benchmark"] in ("recurrent", "fork")),
                       f"{case['benchmark']} {case.get('operator', '')} {case.get('direction', '')}: {time or line}")
    for line in lines[1 + len(MEASURED):]:
        holds &= check(line["kind"] == "failure" and line["why"], f"not measured: {line.get('why', line)}")
    return 0 if holds else 1


hosts.main(test)
