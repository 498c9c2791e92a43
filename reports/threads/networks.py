"""Networks whose independent operators are tasks of TorchScript: recurrent ones as wavefronts, CNNs by branch."""

from typing import List, Tuple

import torch
from torch import Tensor, nn
from torch.jit import Future


class LstmCell(nn.Module):
    """A cell of a layer and a step, which waits for the layer below and for the step before."""

    def __init__(self, inputs, hidden):
        super().__init__()
        for name, shape in (("w_input", (4 * hidden, inputs)), ("w_state", (4 * hidden, hidden)),
                            ("b_input", (4 * hidden,)), ("b_state", (4 * hidden,))):
            setattr(self, name, nn.Parameter(0.05 * torch.randn(*shape)))

    def forward(self, below: Future[Tuple[Tensor, Tensor]], before: Future[Tuple[Tensor, Tensor]]) -> Tuple[Tensor, Tensor]:
        x = torch.jit.wait(below)[0]
        state = torch.jit.wait(before)
        return torch.lstm_cell(x, [state[0], state[1]], self.w_input, self.w_state, self.b_input, self.b_state)


@torch.jit.script
def ready(h: Tensor, c: Tensor) -> Tuple[Tensor, Tensor]:
    return h, c


class Lstm(nn.Module):
    """Layers of one direction: cell (l, t) after (l - 1, t) and (l, t - 1)."""

    def __init__(self, layers, hidden):
        super().__init__()
        self.cells = nn.ModuleList([LstmCell(hidden, hidden) for _ in range(layers)])
        self.hidden = hidden

    def forward(self, x: Tensor) -> Tensor:
        zero = torch.zeros(x.size(1), self.hidden)
        below: List[Future[Tuple[Tensor, Tensor]]] = []
        for step in range(x.size(0)):
            below.append(torch.jit.fork(ready, x[step], zero))
        for cell in self.cells:
            before = torch.jit.fork(ready, zero, zero)
            above: List[Future[Tuple[Tensor, Tensor]]] = []
            for step in range(x.size(0)):
                before = torch.jit.fork(cell, below[step], before)
                above.append(before)
            below = above
        return torch.jit.wait(below[x.size(0) - 1])[0]


class LstmBoth(nn.Module):
    """One layer in both directions: two chains of cells."""

    def __init__(self, hidden):
        super().__init__()
        self.ahead = LstmCell(hidden, hidden)
        self.back = LstmCell(hidden, hidden)
        self.hidden = hidden

    def forward(self, x: Tensor) -> Tensor:
        zero = torch.zeros(x.size(1), self.hidden)
        ahead = torch.jit.fork(ready, zero, zero)
        back = torch.jit.fork(ready, zero, zero)
        steps = x.size(0)
        for step in range(steps):
            ahead = torch.jit.fork(self.ahead, torch.jit.fork(ready, x[step], zero), ahead)
            back = torch.jit.fork(self.back, torch.jit.fork(ready, x[steps - 1 - step], zero), back)
        return torch.cat([torch.jit.wait(ahead)[0], torch.jit.wait(back)[0]], 1)


def convolution(inputs, filters, kernel, stride=1, pad=0):
    return nn.Sequential(nn.Conv2d(inputs, filters, kernel, stride, pad, bias=False), nn.ReLU())


class Inception(nn.Module):
    def __init__(self, inputs, a, reduce3, b, reduce5, c, d):
        super().__init__()
        self.one = convolution(inputs, a, 1)
        self.three = nn.Sequential(convolution(inputs, reduce3, 1), convolution(reduce3, b, 3, pad=1))
        self.five = nn.Sequential(convolution(inputs, reduce5, 1), convolution(reduce5, c, 5, pad=2))
        self.pool = nn.Sequential(nn.MaxPool2d(3, 1, 1), convolution(inputs, d, 1))

    def forward(self, x: Tensor) -> Tensor:
        one, three = torch.jit.fork(self.one, x), torch.jit.fork(self.three, x)
        five, pool = torch.jit.fork(self.five, x), torch.jit.fork(self.pool, x)
        return torch.cat([torch.jit.wait(one), torch.jit.wait(three), torch.jit.wait(five), torch.jit.wait(pool)], 1)


def googlenet():
    """models/googlenet-v1.yaml"""
    return nn.Sequential(
        convolution(3, 64, 7, 2, 3), nn.MaxPool2d(3, 2, 1), convolution(64, 64, 1), convolution(64, 192, 3, pad=1),
        nn.MaxPool2d(3, 2, 1),
        Inception(192, 64, 96, 128, 16, 32, 32), Inception(256, 128, 128, 192, 32, 96, 64), nn.MaxPool2d(3, 2, 1),
        Inception(480, 192, 96, 208, 16, 48, 64), Inception(512, 160, 112, 224, 24, 64, 64),
        Inception(512, 128, 128, 256, 24, 64, 64), Inception(512, 112, 144, 288, 32, 64, 64),
        Inception(528, 256, 160, 320, 32, 128, 128), nn.MaxPool2d(3, 2, 1),
        Inception(832, 256, 160, 320, 32, 128, 128), Inception(832, 384, 192, 384, 48, 128, 128),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1000), nn.ReLU())


class Plain(nn.Module):
    """A network in which no operator can run beside another: one task."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        return torch.jit.wait(torch.jit.fork(self.network, x))


def alexnet():
    """models/alexnet-owt.yaml"""
    return Plain(nn.Sequential(
        convolution(3, 64, 11, 4, 2), nn.MaxPool2d(3, 2), convolution(64, 192, 5, pad=2), nn.MaxPool2d(3, 2),
        convolution(192, 384, 3, pad=1), convolution(384, 256, 3, pad=1), convolution(256, 256, 3, pad=1),
        nn.MaxPool2d(3, 2), nn.Flatten(), nn.Linear(256, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(),
        nn.Linear(4096, 1000)))


def steps(count, samples, hidden):
    return lambda: (torch.randn(count, samples, hidden),)


def images(samples, side=224):
    return lambda: (torch.randn(samples, 3, side, side),)


# name: what makes it, what makes its input; the same networks as model files lie beside this file
NETWORKS = {
    "lstm-wide": (lambda: Lstm(4, 128), steps(16, 1, 128)),
    "lstm-batch": (lambda: Lstm(2, 128), steps(16, 8, 128)),
    "lstm-both": (lambda: LstmBoth(128), steps(16, 4, 128)),
    "googlenet-v1": (googlenet, images(1, 64)),
    "alexnet-owt": (alexnet, images(1, 64)),
}
