"""What PyTorch adds to kernels and links, as a framework file, measured with networks that are not predicted.

models/probe.yaml (convolutions, norms, products) and models/cells.yaml (an LSTM) have the operators of the networks that
are, at other sizes. What a step of them takes over what `dodona predict` says without a framework is how much longer
kernels take in training than alone (caches that other operators emptied), and of the LSTM, whose cells PyTorch runs
operator by operator, the time of their dispatch and of adding up their gradients, which no batch makes longer.
Updates and collectives likewise, measured alone: the update of all weights; gradients brought into one buffer, reduced,
and brought back.
"""

import statistics

PROBES = ("probe", "cells")


def number(name, value):
    """As a framework file has it."""
    return f"{value * 1e6:.4g} us" if name == "recurrent_overhead" else f"{value:.4g}"


def written(bench, parameters):
    """A framework file."""
    path = bench.folder / f"framework-{len(list(bench.folder.glob('framework-*')))}.yaml"
    lines = ["framework: pytorch-on-cpu", 'source: "tests/emulation/framework.py"',
             "parameters:" + ("" if parameters else " {}")]
    measured = 'source: "measured with models/probe.yaml and models/cells.yaml"'
    lines += [f"  {name}: {{value: {number(name, value)}, {measured}}}" for name, value in parameters.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


def measured(bench, network, machine):
    """Parameter -> its value; of passes the mean of what a serial step's batch and a pipeline's micro-batch say."""
    def predicted(name, plan, batch, parameters):
        parts = bench.predict(name, machine, plan, written(bench, parameters), batch)["time_s"]
        return parts["forward"] + parts["backward"], parts

    def alone_on_host(name, plan, batch):
        """Of the processor: one thread that waits for nobody, so that other programs on this machine do not count."""
        return min(bench.train(network, name, plan, 20, batch)[1] for _ in range(bench.turns))

    def kernels(name, batch):
        """Seconds of all passes of a step."""
        return alone_on_host(name, "serial", batch) - alone_on_host(name, "update", batch)

    _, parts = predicted("probe", "data", bench.batch, {})
    update = alone_on_host("probe", "update", bench.batch) / parts["optimizer"]
    collective = min(bench.train(network, "probe", "reduce", 20, bench.batch)[0]
                     for _ in range(bench.turns)) / parts["gradients"]

    batches = (bench.batch, bench.microbatch)
    slower = statistics.mean(kernels("probe", batch) / predicted("probe", "serial", batch, {})[0] for batch in batches)
    found = {kind: slower for kind in ("convolution", "matmul", "recurrent", "stream")}
    cells = []
    for batch in batches:
        without, _ = predicted("cells", "serial", batch, found)
        a_millisecond, _ = predicted("cells", "serial", batch, {**found, "recurrent_overhead": 1e-3})
        cells.append(1e-3 * (kernels("cells", batch) - without) / (a_millisecond - without))
    return {**found, "recurrent_overhead": max(0, statistics.mean(cells)), "optimizer": update, "collective": collective}
