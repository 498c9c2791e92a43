"""The emulation against what its links are said to be: SWITCH.

Expected of one frame one way: delay + 8 * bytes / rate (links cut through), and the time of the two programs on top;
of a flow: its max-min fair share of the rates on its path, times payload / bytes of a frame.
"""

import pathlib
import signal
import subprocess
import sys
import time

import hosts

PROBE = [sys.executable, str(pathlib.Path(__file__).with_name("probe.py"))]
HEADERS, TCP = 14, 52  # bytes of a frame beside its payload of `mtu`, and of that what IP and TCP take
PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


def check(holds, text):
    print(("ok   " if holds else "FAIL ") + text, flush=True)
    return holds


def round_trip(network, size):
    listener = network.start(1, [*PROBE, "listen", network.address(1), 5000], **PIPES)
    sender = network.start(0, [*PROBE, "round-trip", network.address(1), 5000, size], **PIPES)
    return float(network.wait([sender, listener], 60)[0])


def flows(network, pairs, seconds=3):
    """Bytes/s of one flow for each (from, to), all at once."""
    listeners = [network.start(to, [*PROBE, "listen", network.address(to), 5000 + i], **PIPES)
                 for i, (_, to) in enumerate(pairs)]
    senders = [network.start(start, [*PROBE, "stream", network.address(to), 5000 + i, seconds], **PIPES)
               for i, (start, to) in enumerate(pairs)]
    network.wait(senders, 60)
    return [float(output) for output in network.wait(listeners, 60)]


def latency_holds(switch):
    rate, delay, size = 1e8, 1e-3, 1000
    with hosts.Network(switch, rate=rate, delay=delay) as network:
        measured = round_trip(network, size)
    expected = 2 * (delay + 8 * (size + HEADERS + TCP) / rate)
    return check(expected <= measured < expected + 0.3e-3,
                 f"a round trip of {size} B takes {measured * 1e3:.3f} ms; delay and rate say {expected * 1e3:.3f} ms")


def rate_holds(switch, rate, mtu):
    with hosts.Network(switch, rate=rate, delay=100e-6, mtu=mtu) as network:
        measured = flows(network, [(0, 1)])[0]
    expected = rate / 8 * (mtu - TCP) / (mtu + HEADERS)
    fair = check(abs(measured / expected - 1) < 0.04,
                 f"one flow at {rate / 1e6:g} Mb/s, mtu {mtu}: {measured / 1e6:.2f} MB/s; expected {expected / 1e6:.2f}")
    counted = network.statistics
    whole = check(counted["largest"] <= mtu + HEADERS, f"no frame is larger than {mtu + HEADERS} B: {counted}")
    return fair and whole


def taper_holds(switch, taper):
    rate, mtu = 2e8, 9000
    with hosts.Network(switch, hosts=4, rate=rate, leaf=2, uplink=2 * rate / taper, delay=100e-6) as network:
        measured = flows(network, [(0, 2), (1, 3)])
        inside = flows(network, [(0, 1)], seconds=1)[0] if taper > 1 else None
    share = rate / 8 / taper * (mtu - TCP) / (mtu + HEADERS)
    mean = sum(measured) / 2
    holds = check(abs(mean / share - 1) < 0.04 and min(measured) > 0.7 * mean,
                  f"tapered {taper}:1, two flows between leaves: {measured[0] / 1e6:.2f} and {measured[1] / 1e6:.2f} MB/s; "
                  f"max-min fair {share / 1e6:.2f}")
    if inside is not None:
        holds &= check(abs(inside / (share * taper) - 1) < 0.08, f"inside a leaf: {inside / 1e6:.2f} MB/s")
    return holds


def namespaces(process):
    listed = subprocess.run([hosts.needed("ip"), "netns", "list"], capture_output=True, text=True).stdout
    return [line for line in listed.splitlines() if line.startswith(f"{hosts.NAMESPACE}{process}-")]


def cleans_up(switch):
    """A run that is told to end takes its hosts along, one that is killed is swept by the next."""
    script = ("import sys, hosts\nwith hosts.Network(sys.argv[1]) as network:\n"
              "    network.start(0, ['sleep', '61'])\n    print('up', flush=True)\n    network.run(1, ['sleep', '60'])\n")
    holds = True
    for number in (signal.SIGTERM, signal.SIGKILL):
        child = subprocess.Popen([sys.executable, "-c", script, switch], stdout=subprocess.PIPE, text=True,
                                 cwd=pathlib.Path(__file__).parent)
        child.stdout.readline()
        holds &= check(len(namespaces(child.pid)) == 2, "two hosts are up")
        for _ in range(3):  # a shell and `timeout` may each send one
            child.send_signal(number)
            time.sleep(0.02)
        child.wait(timeout=30)
        if number == signal.SIGKILL:
            with hosts.Network(switch):
                pass
        holds &= check(not namespaces(child.pid), f"after {signal.Signals(number).name} none is left")
    return holds


def refuses(switch):
    holds = True
    for words, said in ((["--rate", "fast", "a", "b"], "no value of --rate"), (["--rat", "1", "a", "b"], "not understood"),
                        (["a"], "name 2 to 250"), (["--rate", "0", "a", "b"], "rate above 0")):
        done = subprocess.run([switch, *words], capture_output=True, text=True, timeout=10)
        holds &= check(done.returncode == 2 and said in done.stderr, f"refused: {done.stderr.strip()}")
    with hosts.Network(switch) as network:
        start = time.monotonic()
        try:
            network.run(0, ["sleep", "30"], timeout=0.5)
            holds = check(False, "a command that takes too long fails")
        except hosts.Failed as why:
            holds &= check("not done after 0.5 s" in str(why) and time.monotonic() - start < 10, "a command has a time-out")
        try:
            network.run(0, ["false"])
            holds = check(False, "a command that fails is told")
        except hosts.Failed as why:
            holds &= check("status 1" in str(why), "a command that fails is told")
        holds &= check(network.run(1, ["hostname"]).strip() == "host1", "a host has its name")
    return holds


def emulation(switch):
    results = [refuses(switch), cleans_up(switch), latency_holds(switch), rate_holds(switch, 2e8, 9000),
               rate_holds(switch, 5e7, 1500), *(taper_holds(switch, taper) for taper in (1, 2, 4))]
    return 0 if all(results) else 1


hosts.main(lambda: emulation(str(pathlib.Path(sys.argv[1]).resolve())))
