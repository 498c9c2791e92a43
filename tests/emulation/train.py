"""Trains a network with PyTorch on the CPU, a thread a rank, gradients and activations over gloo. Prints a line of JSON.

train.py NETWORK --plan serial|data|overlap|pipeline --batch N [--microbatches M] [--steps N]

`batch`: samples a step of all ranks together. Plans: `serial` on one rank; `data`, each rank with its share of the
samples, one all-reduce of all gradients after backward; `overlap` the same by DistributedDataParallel, whose all-reduces
run beside backward; `pipeline`, two ranks with half of the network each, GPipe: all micro-batches forward, then all
backward. Ranks are found as torch.distributed's env:// does. A step ends with the update of all weights (SGD with
momentum). Two plans train nothing: `reduce` only
adds up what are taken for gradients as `data` does, `update` only updates. Printed: seconds of each step on rank 0, and of its CPU; the parameters of the network; what they hold.
"""

import argparse
import json
import os
import time

import torch
import torch.distributed as dist

from networks import NETWORKS


def loss_of(output, target):
    return torch.nn.functional.cross_entropy(output.flatten(0, -2), target.flatten())


class Data:
    """One rank of data parallelism, or the only one."""

    def __init__(self, network, options, ranks):
        self.model = torch.nn.Sequential(*network.parts())
        self.ranks = ranks
        self.overlap = options.plan == "overlap"
        if self.overlap:
            self.model = torch.nn.parallel.DistributedDataParallel(self.model)
        self.batch = network.batch(options.batch // ranks, torch.Generator().manual_seed(1))
        self.parameters = list(self.model.parameters())

    def gradients(self):
        x, target = self.batch
        loss_of(self.model(x), target).backward()
        if self.ranks > 1 and not self.overlap:
            self.reduce()

    def reduce(self):
        flat = torch.cat([each.grad.view(-1) for each in self.parameters])
        dist.all_reduce(flat)
        flat /= self.ranks
        start = 0
        for each in self.parameters:
            each.grad.copy_(flat[start:start + each.numel()].view_as(each))
            start += each.numel()


class Stage:
    """One of the two stages of a pipeline."""

    def __init__(self, network, options, first):
        parts = network.parts()
        self.model = torch.nn.Sequential(*(parts[:network.cut] if first else parts[network.cut:]))
        x, target = network.batch(options.batch, torch.Generator().manual_seed(1))
        self.inputs, self.targets = x.chunk(options.microbatches), target.chunk(options.microbatches)
        with torch.no_grad():
            self.shape = torch.nn.Sequential(*parts[:network.cut])(self.inputs[0]).shape
        self.parameters = list(self.model.parameters())


class LastStage(Stage):
    """Gets activations, and sends their gradients back while it computes the next ones."""

    def gradients(self):
        inputs, losses = [], []
        for target in self.targets:
            x = torch.empty(self.shape)
            dist.recv(x, 0)
            inputs.append(x.requires_grad_())
            losses.append(loss_of(self.model(x), target) / len(self.targets))
        sent = []
        for x, loss in zip(inputs, losses):
            loss.backward()
            sent.append(dist.isend(x.grad.contiguous(), 0))
        for each in sent:
            each.wait()


class FirstStage(Stage):
    """Sends its activations while it computes the next ones."""

    def gradients(self):
        outputs, sent = [], []
        for x in self.inputs:
            outputs.append(self.model(x))
            sent.append(dist.isend(outputs[-1].detach().contiguous(), 1))
        for output in outputs:
            gradient = torch.empty(self.shape)
            dist.recv(gradient, 1)
            output.backward(gradient)
        for each in sent:
            each.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("network", choices=NETWORKS)
    parser.add_argument("--plan", choices=["serial", "data", "overlap", "pipeline", "reduce", "update"], required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--microbatches", type=int, default=4)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    rank, ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if ranks > 1:
        dist.init_process_group("gloo")
    network = NETWORKS[options.network]
    if options.plan == "pipeline":
        training = (FirstStage if rank == 0 else LastStage)(network, options, rank == 0)
    else:
        training = Data(network, options, ranks)
    optimizer = torch.optim.SGD(training.parameters, lr=1e-3, momentum=0.9)

    def step():
        if options.plan == "reduce":
            training.reduce()
        elif options.plan == "update":
            optimizer.step()
        else:
            training.gradients()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    if options.plan in ("reduce", "update"):
        for each in training.parameters:
            each.grad = torch.ones_like(each)
    steps, busy = [], []
    for _ in range(options.steps):
        if options.plan == "reduce":
            dist.barrier()  # else one rank would wait for the other's last step, and measure less
        start, used = time.perf_counter(), time.process_time()
        step()
        steps.append(time.perf_counter() - start)
        busy.append(time.process_time() - used)
    if rank == 0:
        count = sum(each.numel() for part in network.parts() for each in part.parameters())
        print(json.dumps({"network": options.network, "plan": options.plan, "ranks": ranks, "batch": options.batch,
                          "parameters": count, "steps": steps, "cpu": busy}), flush=True)
    if ranks > 1:
        dist.barrier()
    os._exit(0)  # gloo's threads may still run, and its destructors abort the process then


main()
