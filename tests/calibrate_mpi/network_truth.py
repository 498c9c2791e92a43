"""Calibrated by MPI on emulated hosts, does the oracle say what other collectives take there?
SWITCH PROGRAM PREDICT [WORLD ...]

In each world four hosts of one rank measure collectives of some sizes and numbers of ranks, and in the same run, in
random order among them, those that are then predicted: other sizes, and three ranks. The first become the levels of a
machine; the oracle's own function says the others. Links are slow and long, so that the network and not this machine's
processors decides (at 1 Gb/s and 50 us four ranks and the switch on two cores miss by 3 to 18 % in the median); all
messages are eager, one protocol (Open MPI's rendezvous slows rings by 70 % here, beyond 64 KiB). Rings are those of dodona-calibrate-mpi, "free" is what Open MPI chooses.
A world that fails is tried once more: other programs on this machine disturb.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "emulation"))
import hosts  # noqa: E402

KIB = 1024
TRAINED = [4 * KIB << i for i in range(7)]  # 4 KiB to 256 KiB
ASKED = [6 * KIB, 24 * KIB, 96 * KIB, 192 * KIB]
MEDIAN = {"sizes, ring": 0.05, "sizes, free": 0.05, "ranks, ring": 0.08}  # of the errors; four of five stay below 0.1
TWICE = 2  # each case, at different moments of a busy machine
ROUNDS = 3  # of halving intervals
EAGER = ("--mca", "btl_tcp_eager_limit", 4 << 20, "--mca", "btl_tcp_rndv_eager_limit", 4 << 20)
RINGS = ("all-reduce", "reduce-scatter", "all-gather")

# Links, and how many ranks are measured to predict three: where leaves share a spine, two ranks never cross it.
WORLDS = {
    "200 Mb/s, 0.5 ms": ({"rate": 2e8, "delay": 5e-4}, (2, 4)),
    "200 Mb/s, 0.5 ms, leaves of 2, tapered 4:1": ({"rate": 2e8, "delay": 5e-4, "leaf": 2, "uplink": 1e8}, (4,)),
    "50 Mb/s, 4 ms": ({"rate": 5e7, "delay": 4e-3}, (2, 4)),
    "50 Mb/s, 4 ms, leaves of 2, tapered 2:1": ({"rate": 5e7, "delay": 4e-3, "leaf": 2, "uplink": 5e7}, (4,)),
    "50 Mb/s, 4 ms, leaves of 2, tapered 4:1": ({"rate": 5e7, "delay": 4e-3, "leaf": 2, "uplink": 2.5e7}, (4,)),
}


def check(holds, text):
    print(("ok   " if holds else "FAIL ") + text, flush=True)
    return bool(holds)


def collective(name, size, ranks, algorithm):
    whole = 4 * ranks * max(1, round(size / (4 * ranks)))
    return {"benchmark": "collective", "collective": name, "bytes": whole, "ranks": ranks, "ranks_per_node": 1,
            "level": "network", "groups": 1, "in_place": 0, "algorithm": algorithm}


def trained(ranks):
    cases = [collective(name, size, count, "ring") for name in RINGS for size in TRAINED for count in ranks]
    cases += [collective(name, size, 4, "free") for name in ("all-reduce", "all-to-all") for size in TRAINED]
    messages = [{"benchmark": "send", "bytes": size, "level": "network", "pattern": pattern, "groups": 1}
                for pattern, sizes in (("ping-pong", [1, 64, *TRAINED]), ("window", [4 * KIB, 64 * KIB])) for size in sizes]
    return cases + messages


def asked():
    """What is predicted, and of which kind."""
    sizes = [(collective(name, size, 4, "ring"), "sizes, ring") for name in RINGS for size in ASKED]
    ranks = [(collective(name, size, 3, "ring"), "ranks, ring") for name in RINGS for size in ASKED]
    free = [(collective(name, size, 4, "free"), "sizes, free") for name in ("all-reduce", "all-to-all") for size in ASKED]
    return sizes + ranks + free


def measured(network, program, cases, folder):
    """Records of the cases, and of the environment."""
    listed, records = pathlib.Path(folder, "cases.jsonl"), pathlib.Path(folder, "measured.jsonl")
    listed.write_text("".join(json.dumps(case) + "\n" for case in TWICE * cases))
    network.mpirun([pathlib.Path(program).resolve(), "--cases", listed, "--most-seconds", 0.3, "-o", records], timeout=400,
                   options=EAGER)
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    failed = [line for line in lines if line["kind"] == "failure"]
    if failed:
        raise hosts.Failed(f"cases failed: {failed[:3]}")
    return lines


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def refined(network, program, predict, lines, folder):
    """The calibration and what it still needs: of Open MPI's own algorithms, which it changes with the size."""
    for _ in range(ROUNDS):
        records = pathlib.Path(folder, "free.jsonl")
        write(records, [line for line in lines if line["kind"] == "measurement" and
                        line["case"].get("algorithm") == "free"])
        done = subprocess.run([predict, records, "--refine"], capture_output=True, text=True, timeout=60, check=True)
        cases = [json.loads(line) for line in done.stdout.splitlines()]
        print(f"     {len(cases)} sizes to look closer at")
        if not cases:
            break
        lines += measured(network, program, cases, folder)
    return lines


def key(case):
    """The same text for the same case, whether a number is written 4 or 4.0."""
    return tuple(sorted((name, value if isinstance(value, str) else float(value)) for name, value in case.items()))


def predicted(predict, records, algorithm, cases):
    """Seconds of each case, and its interval."""
    text = "".join(f"{case['collective']} {case['bytes']} {case['ranks']}\n" for case in cases)
    done = subprocess.run([predict, records, algorithm], input=text, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise hosts.Failed(done.stderr)
    levels, *lines = done.stdout.splitlines()
    print(f"     {algorithm}: {levels}")
    return [tuple(map(float, line.split())) for line in lines]


def messages_hold(predict, records, network, links):
    """LogGP of messages against what the links are: the delay, and the rate less the headers of TCP's frames."""
    done = subprocess.run([predict, records, "--messages"], capture_output=True, text=True, timeout=60, check=True)
    latency, bandwidth, streaming = map(float, done.stdout.split())
    rate = links["rate"] / 8 * (network.mtu - 52) / (network.mtu + 14)
    rate = min(rate, rate * links.get("uplink", links["rate"]) / links["rate"])
    return check(links["delay"] < latency < 1.15 * links["delay"] and abs(bandwidth / rate - 1) < 0.08 and
                 abs(streaming / rate - 1) < 0.08,
                 f"messages take {latency * 1e3:.2f} ms and go at {bandwidth / 1e6:.2f} MB/s, {streaming / 1e6:.2f} in a "
                 f"stream; the links say {links['delay'] * 1e3:g} ms, {rate / 1e6:.2f} MB/s")


def quantile(values, share):
    """The value that `share` of them do not exceed."""
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


def errors_of(switch, program, predict, world):
    """Kind of question -> (relative error, whether it is inside its interval, what it is of); whether LogGP holds."""
    links, ranks = WORLDS[world]
    questions, errors = asked(), {}
    held_out = {key(case) for case, _ in questions}
    with tempfile.TemporaryDirectory() as folder, hosts.Network(switch, hosts=4, **links) as network:
        lines = measured(network, program, trained(ranks) + [case for case, _ in questions], folder)
        truth = {}
        for line in lines[1:]:
            before = truth.get(key(line["case"]), float("inf"))
            truth[key(line["case"])] = min(before, line["time"]["least"])
        calibration = [line for line in lines if line["kind"] != "measurement" or key(line["case"]) not in held_out]
        records = pathlib.Path(folder, "calibration.jsonl")
        write(records, refined(network, program, predict, calibration, folder))
        for algorithm in ("ring", "free"):
            chosen = [(case, kind) for case, kind in questions if case["algorithm"] == algorithm]
            answers = predicted(predict, records, algorithm, [case for case, _ in chosen])
            for (case, kind), (value, low, high) in zip(chosen, answers):
                true = truth[key(case)]
                text = f"{case['collective']} {case['bytes']} B {case['ranks']} ranks {true * 1e3:.2f} ms"
                errors.setdefault(kind, []).append((value / true - 1, low <= true <= high, text))
        return errors, messages_hold(predict, records, network, links)


def holds(switch, program, predict, world):
    print(world)
    by_kind, messages = errors_of(switch, program, predict, world)
    results = [messages]
    for kind, errors in by_kind.items():
        sizes = [abs(error) for error, _, _ in errors]
        inside = sum(within for _, within, _ in errors) / len(errors)
        worst = max(errors, key=lambda each: abs(each[0]))
        results.append(check(quantile(sizes, 0.5) < MEDIAN[kind] and quantile(sizes, 0.8) < 0.10,
                             f"{kind}: median {quantile(sizes, 0.5):.1%}, 80th percentile {quantile(sizes, 0.8):.1%}, "
                             f"worst {worst[0]:+.1%} ({worst[2]}), {inside:.0%} in their intervals"))
    return all(results)


def main():
    switch, program, predict, *worlds = sys.argv[1:]
    results = [holds(switch, program, predict, world) or holds(switch, program, predict, world)
               for world in worlds or WORLDS]
    return 0 if all(results) else 1


hosts.main(main)
