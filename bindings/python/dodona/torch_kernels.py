"""A back end of `dodona calibrate` that measures PyTorch's own operators, on the GPU where there is one, else on the CPU.

    dodona calibrate --program "python3 torch_kernels.py" --model resnet50 --micro-batch 32 -o here.yaml

What a framework runs for a kernel is not what the fastest library has: its tensors' layouts are rewritten, passes are
not fused, each operator costs its dispatch. Here every case is the operators that training runs for it, called one
after the other from C++'s autograd functions where backward would call them, alone, on as many threads as the case says.
Reads settings and then a case a line; answers each with a line (docs/calibration.md). Needs PyTorch alone, on a GPU 2.0 or
later, so the file may be copied to where that is. `torch_kernels.py 97`: operators have weights in turns, as much as those of a
network of 97 MB, which a CPU's caches do not keep from one pass to the next.
"""

import gc
import itertools
import json
import os
import sys
import threading
import time
from typing import List

import torch
from torch import Tensor

aten = torch.ops.aten
ON_GPU = torch.cuda.is_available()
PRECISIONS = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
# Bytes written between samples: more than the caches of a GPU, and twice the second-level cache of a CPU.
FLUSHED = 1 << 28 if ON_GPU else 1 << 22
FEWEST, MOST = 7, 200
GRAIN = 32768  # at::internal::GRAIN_SIZE
STEPS = 32  # of a recurrent layer
NETWORK = 1e6 * float(sys.argv[1]) if len(sys.argv) > 1 else 0  # bytes of all its weights


def extents(text):
    return [int(each) for each in str(text).split("x")]


def in_turns(w):
    return itertools.cycle([w.clone() for _ in range(1 + int(NETWORK / (w.numel() * w.element_size())))])


def backward_of(run, inputs):
    """The backward pass of what `run` computes from the inputs."""
    with torch.enable_grad():
        for each in inputs:
            each.requires_grad_()
        y = run()
    dy = torch.randn_like(y)
    return lambda: torch.autograd.grad(y, inputs, dy, retain_graph=True)


def convolution(of):
    images, groups = int(of["images"]), int(of.get("groups", 1))
    inputs, window = extents(of["input"]), extents(of["window"])
    dimensions = len(inputs)
    spread = [(extents(of.get(name, otherwise)) * dimensions)[:dimensions]
              for name, otherwise in (("stride", 1), ("pad", 0), ("dilation", 1))]
    stride, pad, dilation = spread
    x = torch.randn(images, int(of["channels"]), *inputs)
    w = in_turns(torch.randn(int(of["filters"]), int(of["channels"]) // groups, *window) * 0.01)
    arguments = (stride, pad, dilation, False, [0] * dimensions, groups)
    if of["direction"] == "forward":
        return lambda: aten.convolution(x, next(w), None, *arguments)
    dy = torch.randn_like(aten.convolution(x, next(w), None, *arguments))
    mask = [of["direction"] == "backward-input", of["direction"] == "backward-weight", False]
    return lambda: aten.convolution_backward(dy, x, next(w), None, *arguments, mask)


def attention(of):
    heads, head, queries, keys = (int(of[name]) for name in ("heads", "head", "queries", "keys"))
    if of.get("kv_heads", heads) != heads or not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
        raise ValueError("attention is measured with PyTorch from 2.0 on, with as many heads of keys as of queries")
    q, k, v = (torch.randn(int(of.get("batch", 1)), heads, length, head) for length in (queries, keys, keys))

    def forward():
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(of.get("causal", 0)))

    return forward if of["direction"] == "forward" else backward_of(forward, [q, k, v])


def gather(of):
    rows, lookups = int(of["rows"]), int(of["lookups"])
    if "pooled" in of:
        raise ValueError("pooled look-ups are not measured with PyTorch")
    table, at = torch.randn(rows, int(of["width"])), torch.randint(rows, (lookups,))
    if of["direction"] == "forward":
        return lambda: torch.nn.functional.embedding(at, table)
    dy = torch.randn(lookups, int(of["width"]))
    return lambda: table.index_add_(0, at, dy)


def matmul(of):
    m, n, k, batch = (int(of[name]) for name in ("m", "n", "k", "batch"))
    if batch > 1:
        a, b = torch.randn(batch, m, k), torch.randn(batch, k, n)
        return lambda: torch.bmm(a, b)
    if of["direction"] == "forward":
        x, w, bias = torch.randn(m, k), in_turns(torch.randn(n, k)), torch.randn(n)
        return lambda: torch.addmm(bias, x, next(w).t())
    if of["direction"] == "backward-input":
        dy, w = torch.randn(m, k), in_turns(torch.randn(k, n))
        return lambda: dy.mm(next(w))
    dy, x = torch.randn(k, m), torch.randn(k, n)
    return lambda: dy.t().mm(x)


POINTWISE = {"relu": (torch.relu, lambda dy, y: aten.threshold_backward(dy, y, 0)),
             "sigmoid": (torch.sigmoid, aten.sigmoid_backward), "tanh": (torch.tanh, aten.tanh_backward),
             "gelu": (torch.nn.functional.gelu, aten.gelu_backward), "silu": (torch.nn.functional.silu, aten.silu_backward)}


def passed(of):
    kind = of["operator"]
    shape = [int(of["rows"]), int(of["columns"])] if "rows" in of else [int(of["images"]), int(of["channels"]),
                                                                        *extents(of["input"])]
    x = torch.randn(*shape)
    forward = of["direction"] == "forward"
    if kind in POINTWISE:
        run, back = POINTWISE[kind]
        if forward:
            return lambda: run(x)
        dy = torch.randn_like(x)
        return lambda: back(dy, x)
    if kind == "batch-norm":
        scale, bias, mean, variance = (torch.ones(shape[1], dtype=torch.float32) for _ in range(4))
        if forward:
            return lambda: aten.native_batch_norm(x, scale, bias, mean, variance, True, 0.1, 1e-5)
        y, mean_now, deviation = aten.native_batch_norm(x, scale, bias, mean, variance, True, 0.1, 1e-5)
        return lambda: aten.native_batch_norm_backward(y, x, scale, mean, variance, mean_now, deviation, True, 1e-5,
                                                       [True, True, True])
    if kind in ("layer-norm", "rms-norm"):
        scale, bias = torch.ones(shape[1]), torch.ones(shape[1])
        run = (lambda: torch.layer_norm(x, shape[1:], scale, bias)) if kind == "layer-norm" else (
            lambda: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * scale)
        return run if forward else backward_of(run, [x, scale] + ([bias] if kind == "layer-norm" else []))
    if kind == "average-pool":
        window = [extents(of[name]) for name in ("window", "stride", "pad")]
        run = lambda: aten.avg_pool2d(x, *window)
        return run if forward else backward_of(run, [x])
    if kind == "max-pool":
        window = [extents(of[name]) for name in ("window", "stride", "pad", "dilation")]
        if forward:
            return lambda: aten.max_pool2d_with_indices(x, *window, False)
        y, positions = aten.max_pool2d_with_indices(x, *window, False)
        return lambda: aten.max_pool2d_with_indices_backward(y, x, *window, False, positions)
    if kind == "softmax":
        y = torch.softmax(x, -1)
        return (lambda: torch.softmax(x, -1)) if forward else (lambda: aten._softmax_backward_data(y, y, -1, x.dtype))
    raise ValueError(f"the operator '{kind}' is not measured with PyTorch")


def clock():
    """Of one thread its own: on a shared CPU the clock on the wall counts others, too. On a GPU when it is done."""
    if ON_GPU:
        torch.cuda.synchronize()
        return time.perf_counter()
    return time.thread_time() if torch.get_num_threads() == 1 else time.perf_counter()


def least(run, times=5):
    """Seconds of the fastest of a few runs."""
    taken = []
    for _ in range(times):
        start = clock()
        run()
        taken.append(clock() - start)
    return min(taken)


def recurrent(of):
    """One step of LSTM cells, as a layer of many steps has them: what the layer takes in addition to its whole products.

    n = 4 hidden gates from k = hidden states forward, and the reverse backward. Backward the framework makes the
    gradient of W_h step by step: what this takes longer than one product of all steps is in the cell, too.
    """
    samples, cells = int(of["samples"]), int(of.get("cells", 1))
    forward = of["direction"] == "forward"
    hidden = int(of["inputs"] if forward else of["gates"])
    if cells != 1 or ON_GPU or {int(of["inputs"]), int(of["gates"])} != {hidden, 4 * hidden}:
        raise ValueError("only single cells of an LSTM on a CPU are measured with PyTorch")
    layer = torch.nn.LSTM(hidden, hidden, batch_first=True)
    x = torch.randn(samples, STEPS, hidden, requires_grad=True)
    tokens = {"precision": "fp32", "batch": 1}
    product = {"forward": dict(m=samples * STEPS, n=4 * hidden, k=hidden),
               "backward-input": dict(m=samples * STEPS, n=hidden, k=4 * hidden),
               "backward-weight": dict(m=4 * hidden, n=hidden, k=samples * STEPS)}
    products = {name: matmul({**tokens, **extent, "direction": name}) for name, extent in product.items()}

    def once():
        with torch.enable_grad():
            start = clock()
            y, _ = layer(x)
            middle = clock()
        dy = torch.ones_like(y)
        middle_again = clock()
        if not forward:
            y.backward(dy)
        end = clock()
        alone = {name: least(run) for name, run in products.items() if (name == "forward") == forward}
        both = alone["forward"] if forward else alone["backward-input"] + 2 * alone["backward-weight"]
        return ((middle - start if forward else end - middle_again) - both) / STEPS

    return once


def stream(of):
    count = int(of["bytes"]) // 4
    pattern = of.get("pattern", "triad")
    if pattern == "triad":
        a, b = torch.randn(count // 3), torch.randn(count // 3)
        return lambda: a + b
    if pattern == "copy":
        a = torch.randn(count // 2)
        return lambda: a.clone()
    if pattern == "write":
        a = torch.empty(count)
        return lambda: a.zero_()
    a = torch.randn(count)
    return lambda: a.sum()


def mean_of(run, times, scale=1.0):
    """Seconds of one of many runs back to back."""
    def timed():
        start = clock() if ON_GPU else time.perf_counter()
        for _ in range(times):
            run()
        return scale * ((clock() if ON_GPU else time.perf_counter()) - start) / times
    return timed


def launch(of):
    x = torch.zeros(1)
    return mean_of(lambda: torch.neg(x, out=x), 100)


def fork(of):
    """What a pass takes on all threads beyond its share of one thread's: the framework gives a thread GRAIN numbers."""
    threads = int(of["threads"])
    x = torch.zeros(threads * GRAIN)
    alone, together = mean_of(lambda: torch.neg(x, out=x), 20), mean_of(lambda: torch.neg(x, out=x), 20)

    def once():
        torch.set_num_threads(1)
        one = min(alone() for _ in range(5))
        torch.set_num_threads(threads)
        return max(together() - one / threads, 0.0)

    return once


@torch.jit.script
def many_passes(x: Tensor, times: int) -> Tensor:
    for _ in range(times):
        x.add_(1.0)
    return x


@torch.jit.script
def many_products(x: Tensor, w: Tensor, bias: Tensor, times: int) -> Tensor:
    y = x
    for _ in range(times):
        y = torch.addmm(bias, x, w)
    return y


@torch.jit.script
def many_convolutions(x: Tensor, w: Tensor, stride: List[int], pad: List[int], dilation: List[int], groups: int,
                      times: int) -> Tensor:
    y = x
    for _ in range(times):
        y = torch.conv2d(x, w, None, stride, pad, dilation, groups)
    return y


def many(of, times):
    """Runs the kernel of a crowd so often, without the interpreter's lock."""
    kernel = of.get("kernel", "stream")
    if kernel == "stream":
        x = torch.zeros(int(of["bytes"]) // 4)
        return lambda: many_passes(x, times)
    if kernel == "matmul" and int(of.get("batch", 1)) == 1:
        m, n, k = (int(of[name]) for name in ("m", "n", "k"))
        x, w, bias = torch.randn(m, k), torch.randn(n, k).t(), torch.randn(n)
        return lambda: many_products(x, w, bias, times)
    if kernel == "convolution" and len(extents(of["input"])) == 2:
        groups = int(of.get("groups", 1))
        x = torch.randn(int(of["images"]), int(of["channels"]), *extents(of["input"]))
        w = torch.randn(int(of["filters"]), int(of["channels"]) // groups, *extents(of["window"])) * 0.01
        stride, pad, dilation = ((extents(of.get(name, otherwise)) * 2)[:2]
                                 for name, otherwise in (("stride", 1), ("pad", 0), ("dilation", 1)))
        return lambda: many_convolutions(x, w, stride, pad, dilation, groups, times)
    raise ValueError(f"crowds of '{kernel}' are not measured with PyTorch")


def crowd(of):
    """Operators of some threads each, one kernel after another, side by side from where all have run once."""
    threads, operators, passes = int(of["threads"]), int(of.get("operators", 1)), int(of["passes"])
    torch.set_num_threads(threads)
    first, all_of_them = many(of, 2), [many(of, passes) for _ in range(operators)]
    if operators == 1:
        first()
        return all_of_them[0]

    def once():
        start, starts, ends = threading.Barrier(operators), [], []

        def run(mine):
            torch.set_grad_enabled(False)
            torch.set_num_threads(threads)
            first()
            start.wait()
            starts.append(time.perf_counter())
            mine()
            ends.append(time.perf_counter())

        workers = [threading.Thread(target=run, args=(mine,)) for mine in all_of_them]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return max(ends) - min(starts)

    return once


BENCHMARKS = {"convolution": convolution, "attention": attention, "matmul": matmul, "gather": gather,
              "operator": passed, "stream": stream, "recurrent": recurrent, "launch": launch,
              **({} if ON_GPU else {"fork": fork, "crowd": crowd})}


def seconds_of(run, cache):
    """One run after what empties the caches, which on a GPU takes so long that the run is in the queue before it ends."""
    cache.fill_(1)
    if not ON_GPU:
        start = clock()
        result = run()
        return result if isinstance(result, float) else clock() - start
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    result = run()
    end.record()
    torch.cuda.synchronize()
    return result if isinstance(result, float) else start.elapsed_time(end) / 1e3


def measure(of, settings):
    precision = of.get("precision", "fp32")
    if precision != "fp32" and not (ON_GPU and precision in PRECISIONS):
        raise ValueError(f"PyTorch's operators are not measured in {precision} on this device")
    torch.set_default_dtype(PRECISIONS[precision] if of["benchmark"] != "stream" else torch.float32)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
    if of["benchmark"] not in BENCHMARKS:
        raise ValueError(f"'{of['benchmark']}' is not measured with PyTorch")
    if "algorithm" in of:
        raise ValueError(f"PyTorch chooses the algorithm by itself; '{of['algorithm']}' is not asked for")
    threads = int(of.get("threads", 1))
    torch.set_num_threads(threads)
    run = BENCHMARKS[of["benchmark"]](of)
    cache = torch.empty(FLUSHED // 4, dtype=torch.float32)
    times, end = [], time.perf_counter() + settings["most_seconds"]
    for _ in range(3):
        run()
    while len(times) < FEWEST or (len(times) < MOST and time.perf_counter() < end):
        times.append(seconds_of(run, cache))
    times.sort()
    at = lambda share: times[int(share * (len(times) - 1))]
    return {"kind": "measurement", "case": of,
            "time": {"least": times[0], "first_quartile": at(0.25), "median": at(0.5), "third_quartile": at(0.75),
                     "samples": len(times), "estimator": "median" if ON_GPU else "least", "rejected": {}}}


def facts():
    if ON_GPU:
        device = torch.cuda.get_device_properties(0)
        return {"device": device.name, "memory": str(device.total_memory),
                "multiprocessors": str(device.multi_processor_count)}
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"device": names[0] if names else "CPU", "memory": str(memory), "cores": str(os.cpu_count()), "threads": "1"}


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    if ON_GPU:
        torch.set_default_device("cuda")
    gc.disable()
    settings = json.loads(sys.stdin.readline())

    def answer(what):
        date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        print(json.dumps({"calibration": 1, "backend": "torch", "pass": "time", "date": date, **what}), flush=True)

    answer({"kind": "environment", "facts": {**facts(), "torch": torch.__version__}})
    for line in sys.stdin:
        of = json.loads(line)
        try:
            answer(measure(of, settings))
        except (ValueError, KeyError, RuntimeError) as why:
            answer({"kind": "failure", "case": of, "why": str(why)})


main()
