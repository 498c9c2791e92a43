"""What PyTorch adds to kernels and links, as a framework file, measured with networks that are not predicted.

models/probe.yaml (convolutions, norms, products) and models/cells.yaml (an LSTM) have the operators of the networks that
are, at other sizes. What a step of them takes over what `dodona predict` says without a framework is how much longer
kernels take in training than alone: dispatch, caches that other operators emptied, memory that is touched first.
Updates and collectives likewise, measured alone: the update of all weights; gradients brought into one buffer, reduced,
and brought back.
"""

import hosts

PROBES = ("probe", "cells")


def written(bench, parameters):
    """A framework file."""
    path = bench.folder / f"framework-{len(list(bench.folder.glob('framework-*')))}.yaml"
    lines = ["framework: pytorch-on-cpu", 'source: "tests/emulation/framework.py"',
             "parameters:" + ("" if parameters else " {}")]
    lines += [f'  {name}: {{value: {value:.4g}, source: "measured with models/probe.yaml and models/cells.yaml"}}'
              for name, value in parameters.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


def measured(bench, network, machine):
    """Parameter -> its value."""
    def passes(name, plan, parameters):
        parts = bench.predict(name, machine, plan, written(bench, parameters))["time_s"]
        return parts["forward"] + parts["backward"], parts

    def kernels(name):
        """Seconds of all passes of a step."""
        return alone_on_host(name, "serial") - alone_on_host(name, "update")

    def alone_on_host(name, plan):
        """Of the processor: one thread that waits for nobody, so that other programs on this machine do not count."""
        return bench.train(network, name, plan, 30)[1]

    alone, parts = passes("probe", "data", {})
    update = alone_on_host("probe", "update") / parts["optimizer"]
    collective = bench.train(network, "probe", "reduce", 20)[0] / parts["gradients"]
    alone, _ = passes("probe", "serial", {})
    slower = kernels("probe") / alone
    found = {kind: slower for kind in ("convolution", "matmul", "stream")}
    once, _ = passes("cells", "serial", found)
    twice, _ = passes("cells", "serial", {**found, "recurrent": 2})
    if twice <= once:
        raise hosts.Failed("the cells' recurrent kernels take no time")
    found["recurrent"] = 1 + (kernels("cells") - once) / (twice - once)
    return {**found, "optimizer": update, "collective": collective}
