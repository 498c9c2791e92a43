"""Several hosts on one machine: network namespaces joined by the switch of switch.cpp.

    with Network(switch, hosts=4, rate=1e9, delay=20e-6) as network:
        network.run(0, ["ping", "-c", "1", network.address(1)])
        output = network.mpirun([program, "--size", "1024"], per_host=1)
        outputs = network.ranks([sys.executable, "train.py"], per_host=1)      # PyTorch with gloo

- `rate` and `uplink` are bits/s each way, `delay` is seconds one way, `queue` bytes that each link holds, `leaf` the
  hosts on one leaf switch (0: all on one switch), which `uplink` joins to the spine.
- Host i is called `host<i>`, has the address network.address(i) on the device network.device, and a kernel name of its
  own (else Open MPI would take shared memory). Hosts share cores and memory: they are not isolated from each other there.
- Frames have at most `mtu` bytes of payload: the device offers no segmentation, so none leaves a host larger. The
  window of a connection is bounded below what a link queues, so that few flows lose nothing. Congestion control is
  cubic where the machine allows it, else reno; without losses they are alike.
- Nothing outlives the `with` block: it ends whatever still runs on the hosts, also on SIGINT and SIGTERM, and takes away
  what a killed run left. Each command has a time-out.
- Skip (exit status 77) is raised where the machine lacks what is needed: `sys.exit(skip.status)`, or let `main` do it.
"""

import json
import os
import pathlib
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

SKIP = 77
NAMESPACE = "dodona-"  # then the process that made it, and the host


class Skip(Exception):
    """This machine can't do it; the text says why."""


class Failed(Exception):
    """A command on a host ended with an error or not at all."""


def main(program):
    """Runs `program()`; ends the process with 77 where it skips, else with what it returns."""
    try:
        sys.exit(program())
    except Skip as why:
        print(f"skipped: {why}")
        sys.exit(SKIP)


def needed(name):
    """The path of a program."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        raise Skip(f"there is no program '{name}'")
    return path


AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # what Open MPI's mpirun asks for

ENDING = (signal.SIGTERM, signal.SIGINT)


def terminated(number, frame):
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)  # a second one must not stop the clearing up
    raise SystemExit(128 + number)


class Network:
    device = "net0"

    def __init__(self, switch, hosts=2, rate=1e9, delay=20e-6, queue=16e6, leaf=0, uplink=None, mtu=9000, window=1 << 20):
        self.ip = needed("ip")
        self.unshare = needed("unshare")
        if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            raise Skip("/dev/net/tun can't be opened")
        if not pathlib.Path(switch).is_file():
            raise Skip(f"there is no switch at {switch}")
        self.names = [f"{NAMESPACE}{os.getpid()}-{i}" for i in range(hosts)]
        self.links = ["--rate", rate, "--delay", delay, "--queue", queue, "--leaf", leaf, "--uplink", uplink or rate]
        self.program, self.mtu, self.window = pathlib.Path(switch).resolve(), mtu, window
        self.switch = None
        self.processes = []
        self.statistics = None  #: of the switch, after the block: delivered, bytes, largest, dropped, mean_lateness, late

    def address(self, host):
        return f"10.213.0.{host + 1}"

    # -- making and taking down ----------------------------------------------------------------------------------------

    def __enter__(self):
        self.handlers = {number: signal.signal(number, terminated) for number in ENDING}
        try:
            self.sweep()
            for name in self.names:
                self.command([self.ip, "netns", "add", name], "making a network namespace")
            self.switch = subprocess.Popen([str(word) for word in [self.program, *self.links, *self.names]],
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if not self.switch.stdout.readline().startswith("ready"):
                _, why = self.switch.communicate(timeout=10)
                raise Skip(why.strip())
            for host in range(len(self.names)):
                self.set_up(host)
        except BaseException:
            self.take_down()
            raise
        return self

    def __exit__(self, *_):
        self.take_down()

    def command(self, words, purpose):
        done = subprocess.run(words, capture_output=True, text=True, timeout=30)
        if done.returncode != 0:
            raise Skip(f"{purpose}: {done.stderr.strip()}")

    def set_up(self, host):
        inside = [self.ip, "-n", self.names[host]]
        self.command([*inside, "link", "set", "lo", "up"], "the loopback device")
        self.command([*inside, "link", "set", self.device, "mtu", str(self.mtu), "txqueuelen", "10000", "up"], "the device")
        self.command([*inside, "address", "add", self.address(host) + "/24", "dev", self.device], "an address")
        for other in range(len(self.names)):
            if other != host:
                self.command([*inside, "neighbour", "add", self.address(other), "lladdr", f"02:d0:0d:00:00:{other:02x}",
                              "dev", self.device], "a neighbour")
        settings = {"ipv4/tcp_rmem": f"4096 131072 {self.window}", "ipv4/tcp_wmem": f"4096 65536 {self.window}",
                    "ipv4/tcp_slow_start_after_idle": "0", "ipv4/tcp_no_metrics_save": "1"}
        script = "; ".join(f"echo {shlex.quote(value)} > /proc/sys/net/{name}" for name, value in settings.items())
        control = "/proc/sys/net/ipv4/tcp_congestion_control"
        self.command([*self.inside(host), f"set -e; {script}; (echo cubic > {control}) 2>/dev/null || echo reno > {control}"],
                     "the settings of TCP")

    def take_down(self):
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.processes = []
        for name in self.names:
            self.remove(name)
        if self.switch is not None:
            output, _ = self.switch.communicate(timeout=10)  # its input ends, and so does it
            if output.strip():
                self.statistics = json.loads(output)
            self.switch = None
        for number, handler in self.handlers.items():
            signal.signal(number, handler)

    def remove(self, name):
        listed = subprocess.run([self.ip, "netns", "pids", name], capture_output=True, text=True, timeout=30)
        for process in listed.stdout.split():
            try:
                os.kill(int(process), signal.SIGKILL)
            except ProcessLookupError:
                pass
        subprocess.run([self.ip, "netns", "delete", name], capture_output=True, timeout=30)

    def sweep(self):
        """Takes away the namespaces of processes that are no more."""
        listed = subprocess.run([self.ip, "netns", "list"], capture_output=True, text=True, timeout=30)
        for name in (line.split()[0] for line in listed.stdout.splitlines() if line.startswith(NAMESPACE)):
            owner = name[len(NAMESPACE):].split("-")[0]
            if owner.isdigit() and not pathlib.Path("/proc", owner).exists():
                self.remove(name)

    # -- running -------------------------------------------------------------------------------------------------------

    def inside(self, host):
        """The command to which a line of shell is added, to be run on a host."""
        return [self.ip, "netns", "exec", self.names[host], self.unshare, "--uts", "sh", "-c"]

    def start(self, host, words, environment=None, **options):
        """A process on a host, as subprocess.Popen makes it; ended with the network."""
        line = f"hostname host{host} && exec " + shlex.join(str(word) for word in words)
        process = subprocess.Popen([*self.inside(host), line], env={**os.environ, **(environment or {})},
                                   start_new_session=True, **options)
        self.processes.append(process)
        return process

    def wait(self, processes, timeout):
        """The outputs of processes that were started with `stdout` and `stderr` to pipes; Failed where one fails."""
        end = time.monotonic() + timeout
        outputs = []
        for process in processes:
            try:
                output, errors = process.communicate(timeout=max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, errors = process.communicate()
                raise Failed(f"not done after {timeout} s: {shlex.join(process.args)}\n{output}{errors}") from None
            if process.returncode != 0:
                raise Failed(f"status {process.returncode}: {shlex.join(process.args)}\n{output}{errors}")
            outputs.append(output)
        return outputs

    def run(self, host, words, timeout=60, environment=None):
        """What a command on a host prints."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return self.wait([self.start(host, words, environment, **pipes)], timeout)[0]

    def ranks(self, words, per_host=1, timeout=300, environment=None):
        """The outputs of ranks that find each other as PyTorch's with gloo do, rank 0 first, neighbours on one host."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        count = per_host * len(self.names)
        started = []
        for rank in range(count):
            known = {"MASTER_ADDR": self.address(0), "MASTER_PORT": "29500", "RANK": str(rank), "WORLD_SIZE": str(count),
                     "LOCAL_RANK": str(rank % per_host), "GLOO_SOCKET_IFNAME": self.device}
            started.append(self.start(rank // per_host, words, {**known, **(environment or {})}, **pipes))
        return self.wait(started, timeout)

    def mpirun(self, words, per_host=1, hosts=None, timeout=300, options=(), environment=None):
        """What an MPI program prints whose ranks are dealt to the first `hosts` (all) hosts, neighbours on one host.

        With Open MPI 4, over TCP between hosts and shared memory inside; `options` go to mpirun before the program."""
        with tempfile.TemporaryDirectory() as folder:
            return self.run(0, [*self.launcher(folder, per_host, hosts or len(self.names)), *options, *words], timeout,
                            {**AS_ROOT, **(environment or {})})

    def launcher(self, folder, per_host, hosts):
        """mpirun and its options; to be run on host 0. Writes the program that starts daemons into `folder`."""
        cases = "\n".join(f"{self.address(i)}) ip=host{i} name={name} ;;" for i, name in enumerate(self.names))
        agent = pathlib.Path(folder, "agent")
        agent.write_text(f"""#!/bin/sh
# In place of ssh: HOST COMMAND...
host=$1
shift
case $host in
{cases}
*) echo "no host $host" >&2; exit 1 ;;
esac
exec {self.ip} netns exec "$name" {self.unshare} --uts sh -c "hostname $ip && $*"
""")
        agent.chmod(agent.stat().st_mode | stat.S_IXUSR)
        only = ",".join(f"{self.address(i)}:{per_host}" for i in range(hosts))
        settings = {"plm_rsh_agent": agent, "plm_rsh_no_tree_spawn": 1, "pml": "ob1", "btl": "self,vader,tcp",
                    "btl_tcp_if_include": self.device, "oob_tcp_if_include": self.device, "hwloc_base_binding_policy": "none",
                    "mpi_yield_when_idle": 1, "orte_tmpdir_base": folder}
        words = [needed("mpirun"), "--host", only, "-n", str(per_host * hosts), "--oversubscribe"]
        for name, value in settings.items():
            words += ["--mca", name, str(value)]
        return words
