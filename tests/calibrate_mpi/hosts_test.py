"""dodona-calibrate-mpi between hosts: SWITCH PROGRAM. Two emulated hosts of two ranks; the network is slower than memory."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "emulation"))
import hosts  # noqa: E402

DELAY = 2e-3


def check(holds, text):
    print(("ok   " if holds else "FAIL ") + text, flush=True)
    return bool(holds)


def case(level, **more):
    together = 2 if level == "shared-memory" else 1
    return {"benchmark": "collective", "collective": "all-reduce", "bytes": 65536, "ranks": 2, "ranks_per_node": together,
            "level": level, "groups": 1, "in_place": 0, "algorithm": "free", **more}


def times(lines):
    """Of each number of ranks, ranks per node and groups."""
    return {tuple(int(line["case"][name]) for name in ("ranks", "ranks_per_node", "groups")): line["time"]["least"]
            for line in lines if line["kind"] == "measurement" and line["case"]["benchmark"] == "collective"}


def between_hosts(network, program, folder):
    cases = [case("shared-memory"), case("network"), case("network", groups=2),
             case("network", ranks=4, ranks_per_node=2),
             {"benchmark": "send", "bytes": 1, "level": "network", "pattern": "ping-pong", "groups": 1}]
    listed, records = pathlib.Path(folder, "cases.jsonl"), pathlib.Path(folder, "records.jsonl")
    listed.write_text("".join(json.dumps(each) + "\n" for each in cases))
    network.mpirun([program, "--cases", listed, "--most-seconds", 0.3, "-o", records], per_host=2, timeout=120)
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    facts = lines[0]["facts"]
    holds = check((facts["ranks"], facts["hosts"], facts["ranks_per_host"]) == ("4", "2", "2"), f"hosts are told: {facts}")
    holds &= check(len(lines) == 1 + len(cases) and all(line["kind"] != "failure" for line in lines), "all is measured")
    took = times(lines)
    trip = next(line["time"]["least"] for line in lines[1:] if line["case"]["benchmark"] == "send")
    holds &= check(DELAY < trip < 2 * DELAY, f"a message takes {trip * 1e3:.2f} ms; the delay is {DELAY * 1e3:g} ms")
    holds &= check(took[2, 2, 1] < took[2, 1, 1], f"memory is faster than the network: {took[2, 2, 1] * 1e3:.2f} ms < "
                                                   f"{took[2, 1, 1] * 1e3:.2f} ms")
    return holds & check(took[2, 1, 2] > 1.3 * took[2, 1, 1],
                         f"two groups share the link of their host: {took[2, 1, 2] * 1e3:.2f} ms")


def unlike_hosts(network, program):
    with tempfile.TemporaryDirectory() as folder:
        words = network.launcher(folder, 2, 2)
        words[words.index("-n") + 1] = "3"
        try:
            network.run(0, [*words, program, "--quick"], 60, hosts.AS_ROOT)
        except hosts.Failed as why:
            return check("hosts have different numbers of ranks: host0 has 2, host1 has 1" in str(why) and
                         str(why).startswith("status 3"), "hosts with unlike numbers of ranks are refused")
    return check(False, "hosts with unlike numbers of ranks are refused")


def main():
    switch, program = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder, hosts.Network(switch, rate=5e7, delay=DELAY) as network:
        results = [between_hosts(network, program, folder), unlike_hosts(network, program)]
    return 0 if all(results) else 1


hosts.main(main)
