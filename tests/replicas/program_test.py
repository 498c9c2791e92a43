"""dodona-exchange among ranks of this host: PROGRAM EXCHANGES. What it trains and sends; no time is asserted."""

import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
WORKERS = 4
SERVERS = {"parameter-server", "binomial-tree", "scatter-reduce", "easgd", "sparknet", "mpca-sgd", "tree-easgd"}
# Dense sums of gradients. Those of the first kind sum in the order of workers; rings, doubling and trees do not.
IN_ORDER = ("parameter-server", "parameter-servers")
OTHERWISE = ("all-reduce", "ring-all-reduce", "recursive-doubling", "sharded-update", "scatter-reduce", "binomial-tree",
             "mlsl-fifo", "mlsl-priority")
SPARSE = ("gtop-k", "hitop-k", "top-k-all-gather")
CODES = ("int8-all-reduce", "one-bit-all-reduce", "int4-all-reduce")


def mpirun(ranks, words):
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np", str(ranks),
               PROGRAM, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def train(exchange, *options, workers=WORKERS, servers=None):
    extra = servers if servers is not None else (1 if exchange in SERVERS else 0)
    done = mpirun(workers + extra, [exchange, "--format", "json", *options])
    if done.returncode != 0:
        raise SystemExit(f"FAIL {exchange} {options}: {done.returncode} {done.stderr[-600:]}")
    return json.loads(done.stdout)


def check(holds, text):
    print(("ok   " if holds else "FAIL ") + text, flush=True)
    return bool(holds)


def exchange_file(folder, name, lines):
    path = pathlib.Path(folder, f"{name}.yaml")
    path.write_text(f"exchange: {name}\nsource: \"our own\"\nsummary: a test\n" + lines)
    return path


def all_train(names):
    """Every exchange lowers the loss, of both networks."""
    holds = True
    for name in names:
        outer = ("--period", 5) if name.startswith("diloco") or name == "sparknet" else ()
        rate = ("--rate", 0.5) if name in SPARSE else ()
        for widths in ("64,10", "64,64,10"):
            got = train(name, "--widths", widths, "--steps", 60, *outer, *rate)
            holds &= check(got["last_loss"] < got["first_loss"],
                           f"{name} trains {widths}: {got['first_loss']:.3f} to {got['last_loss']:.3f}")
    return holds


def same_sums():
    """Sums that no order rounds have the same bits however they are made; others differ by rounding, and by nothing where
    the order is the same."""
    exact = {name: train(name, "--exact-sums", "--steps", 50) for name in IN_ORDER + OTHERWISE}
    wanted = exact["all-reduce"]["digest"]
    holds = check(all(got["equal"] and got["digest"] == wanted for got in exact.values()),
                  f"{len(exact)} exchanges end with the bits of all-reduce: { {n: g['digest'] for n, g in exact.items()} }")
    rounded = {name: train(name, "--steps", 50) for name in IN_ORDER + OTHERWISE}
    holds &= check(len({rounded[name]["digest"] for name in IN_ORDER}) == 1, "sums in one order have the same bits")
    holds &= check(rounded["all-reduce"]["digest"] != wanted, "gradients are rounded for exact sums only")
    loss = rounded["all-reduce"]["last_loss"]
    worst = max(abs(got["last_loss"] / loss - 1) for got in rounded.values())
    return holds & check(all(got["equal"] for got in rounded.values()) and worst < 1e-5,
                         f"others to rounding: losses differ by at most {worst:.1e}")


def other_numbers_of_workers():
    """Parts that are not equal, rounds that do not pair up, and a tree that is not full."""
    holds = True
    for workers in (2, 3, 5):
        got = {name: train(name, "--exact-sums", "--steps", 12, workers=workers) for name in IN_ORDER + OTHERWISE}
        holds &= check(len({one["digest"] for one in got.values()}) == 1 and all(one["equal"] for one in got.values()),
                       f"the same bits on {workers} workers")
        for name in SPARSE + CODES:
            one = train(name, "--steps", 12, "--per-node", 1, workers=workers)
            holds &= check(one["equal"] and one["misapplied"] < 1e-4, f"{name} on {workers} workers: {one['misapplied']:.1e}")
    return holds


def nothing_is_lost(folder):
    """Sent and left make the payloads; exactly k are sent; weights move by what was sent."""
    holds = True
    eight = exchange_file(folder, "float8", "pattern: all-reduce\ncompression: {kind: fp8, block: 64, error_feedback: true}\n")
    for name, options in [*((name, ()) for name in SPARSE + ("int8-all-reduce", "one-bit-all-reduce")),
                          ("hitop-k", ("--per-node", 2)), ("hitop-k", ("--per-node", 1)), (eight, ())]:
        got = train(name, "--steps", 40, *options)
        holds &= check(got["imbalance"] < 1e-5 and got["misapplied"] < 1e-4 and got["unsent"] > 1e-5 and got["equal"],
                       f"{got['exchange']} {options}: account off by {got['imbalance']:.1e}, "
                       f"weights by {got['misapplied']:.1e}, {got['unsent']:.2%} not sent yet")
        if name in SPARSE:
            parts = 1 if name != "hitop-k" else int(options[1]) if options else WORKERS
            wanted = max(1, round(0.001 * (got["elements"] // parts)))
            holds &= check(got["always_kept"] and got["kept"] == wanted, f"{name} sends {wanted} elements each time")
    dropped = train("int4-all-reduce", "--steps", 40)
    return holds & check(dropped["imbalance"] > 1e-3, "without error feedback something is lost, and the account says so")


def mixing(folder):
    """Without gradients distances to the mean shrink by the second eigenvalue in each exchange."""
    torus = exchange_file(folder, "mixing-torus", "pattern: torus\nouter: average\nsends: weights\n")
    master = exchange_file(folder, "mixing-master", "pattern: master\nouter: elastic\nsends: weights\nmoving_rate: 0.8\n")
    gossip = exchange_file(folder, "mixing-gossip",
                           "pattern: gossip\nprobability: 0.5\nouter: average\nsends: weights\noverlap: false\n")
    ring = (1 + 2 * math.cos(2 * math.pi / 8)) / 3
    cases = [("d-psgd", 8, 0, ring), ("d-psgd", 4, 0, 1 / 3), (torus, 4, 0, 1 / 3), (torus, 8, 0, 0.5),
             (master, 4, 1, 1 - 0.8 / 4)]
    holds = True
    for exchange, workers, servers, expected in cases:
        steps = 12
        got = train(exchange, "--apart", "--rate", 0, "--steps", steps, "--distances", "--widths", "16,8", workers=workers,
                    servers=servers)
        first, last = (4, 8) if expected < 0.6 else (8, 11)
        rate = (got["distances"][last] / got["distances"][first]) ** (1 / (last - first))
        holds &= check(abs(rate - expected) < 0.002,
                       f"{got['exchange']} on {workers}: distances shrink by {rate:.5f}; predicted {expected:.5f}")
    got = train(gossip, "--apart", "--rate", 0, "--steps", 40, "--distances", "--widths", "16,8")
    rate = (got["distances"][30] / got["distances"][0]) ** (1 / 30)
    expected = 1 - 0.5 * 4 / (2 * 3)
    return holds & check(abs(rate - expected) < 0.12, f"gossip: {rate:.3f}; expected of the mean {expected:.3f}")


def staleness():
    """Updates of others between two of one worker: n - 1 on average; a bound holds though one worker is slow."""
    holds = True
    got = train("async-parameter-servers", "--steps", 60, "--compute", "10ms")
    holds &= check(abs(got["staleness"] - (WORKERS - 1)) < 0.3, f"asynchronous: {got['staleness']:.2f} updates, predicted 3")
    bounded = train("bounded-parameter-servers", "--steps", 40, "--compute", "5ms", "--slow", 4)
    holds &= check(bounded["lead"] == 3 and bounded["most_stale"] <= 2 * 4 * (WORKERS - 1),
                   f"bounded by 3: lead {bounded['lead']}, staleness at most {bounded['most_stale']:g} of 24")
    free = train("async-parameter-servers", "--steps", 40, "--compute", "5ms", "--slow", 4)
    return holds & check(free["lead"] > 3, f"without a bound the lead is {free['lead']}")


def refuses(folder):
    odd = exchange_file(folder, "odd", "pattern: ring\ncompression: {kind: int8}\n")
    kept = exchange_file(folder, "kept", "pattern: all-reduce\nendpoints: {rate: 1 GB/s}\n")
    faults = [(["all-redcue"], 4, 'did you mean "all-reduce"'), ([], 4, "EXCHANGE"),
              (["parameter-server"], 2, "needs two workers and 1 ranks for servers"),
              ([odd], 4, "compressed messages run in a synchronous all-reduce only"),
              ([kept], 4, "endpoints do not run"),
              (["fast-torus-async"], 4, "neighbours who do not wait"),
              (["all-reduce", "--widths", "7"], 4, "a network has inputs and classes"),
              (["all-reduce", "--link", "1Gb/s"], 4, "--compute is missing"),
              (["all-reduce", "--link", "1Gb/s", "--compute", "1ms"], 4, "alone on their hosts"),
              (["hitop-k", "--per-node", "3"], 4, "no whole number of nodes of 3")]
    holds = True
    for words, ranks, said in faults:
        done = mpirun(ranks, words)
        holds &= check(done.returncode == 2 and done.stderr.count(said) == 1, f"refused: {said}: {done.returncode}")
        if not holds:
            print(done.stderr)
    return holds


def main():
    global PROGRAM
    PROGRAM = sys.argv[1]
    if shutil.which("mpirun") is None:
        print("skipped: there is no mpirun")
        return SKIP
    names = sorted({path.stem for path in pathlib.Path(sys.argv[2]).glob("*.yaml")} - {"fast-torus-async"})  # does not run
    with tempfile.TemporaryDirectory() as folder:
        results = [refuses(folder), same_sums(), nothing_is_lost(folder), mixing(folder), staleness(),
                   other_numbers_of_workers(), all_train(names)]
    return 0 if all(results) else 1


sys.exit(main())
