"""The networks of models/*.yaml in PyTorch, as lists of stages' parts: cut anywhere between parts for a pipeline."""

import torch
from torch import nn


class Residual(nn.Module):
    """Two 3x3 convolutions and a shortcut. He et al., CVPR 2016, figure 5 left."""

    def __init__(self, channels, filters, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, filters, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(filters)
        self.shortcut = None
        if stride != 1 or channels != filters:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, filters, 1, stride, bias=False), nn.BatchNorm2d(filters))

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return torch.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class Steps(nn.Module):
    """A stack of LSTM layers; the states at the end are left out."""

    def __init__(self, features, hidden, layers):
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, layers, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


def resnet():
    parts = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU()]
    channels = 32
    for filters, stride in ((32, 1), (64, 2), (128, 2)):
        parts += [Residual(channels, filters, stride), Residual(filters, filters, 1)]
        channels = filters
    return [*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 100)]


def vgg():
    parts, channels = [], 3
    for filters in (32, 64, 128):
        parts += [nn.Conv2d(channels, filters, 3, 1, 1), nn.ReLU(), nn.Conv2d(filters, filters, 3, 1, 1), nn.ReLU(),
                  nn.MaxPool2d(2)]
        channels = filters
    return [*parts, nn.Flatten(), nn.Linear(2048, 512), nn.ReLU(), nn.Linear(512, 100)]


def lstm():
    return [Steps(128, 256, 1), Steps(256, 256, 1), nn.Linear(256, 1000)]


def probe():
    """Not predicted: its operators, of other sizes, say what the framework adds. So does cells()."""
    return [nn.Conv2d(24, 48, 3, 1, 1, bias=False), nn.BatchNorm2d(48), nn.ReLU(),
            nn.Conv2d(48, 96, 3, 2, 1, bias=False), nn.BatchNorm2d(96), nn.ReLU(), nn.Conv2d(96, 96, 3, 1, 1), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Linear(9600, 192), nn.ReLU(), nn.Linear(192, 60)]


def cells():
    return [Steps(96, 192, 1), nn.Linear(192, 60)]


class Network:
    """What there is to know of a network: its parts, a sample's shape, classes, and where two stages meet."""

    def __init__(self, parts, sample, targets, classes, cut):
        self.parts, self.sample, self.targets, self.classes, self.cut = parts, sample, targets, classes, cut

    def batch(self, samples, generator):
        return (torch.randn(samples, *self.sample, generator=generator),
                torch.randint(self.classes, (samples, *self.targets), generator=generator))


NETWORKS = {
    "resnet": Network(resnet, (3, 64, 64), (), 100, 5),
    "vgg": Network(vgg, (3, 32, 32), (), 100, 5),
    "lstm": Network(lstm, (32, 128), (32,), 1000, 1),
    "cells": Network(cells, (24, 96), (24,), 60, 1),
    "probe": Network(probe, (24, 40, 40), (), 60, 3),
}
