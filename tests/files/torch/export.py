#!/usr/bin/env python3
"""Writes the graphs in this folder: the networks of ../onnx/export.py as dodona's torch_graph.py writes them.

Needs what that needs; 1.13.1 of PyTorch wrote what is here, but typed.json, which is written by hand.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "onnx"), str(HERE.parents[2] / "bindings/python/dodona")]

import export as networks  # noqa: E402
import torch  # noqa: E402
import torch_graph  # noqa: E402
import torchvision  # noqa: E402


def main(asked):
    tokens = torch.zeros(2, 128, dtype=torch.long)
    masks = (tokens, torch.ones(2, 128, dtype=torch.long), torch.zeros(2, 128, dtype=torch.long))
    image = torch.zeros(2, 3, 224, 224)
    all_networks = {
        "resnet50": lambda: (torchvision.models.resnet50(), (image,)),
        "mobilenet_v3": lambda: (torchvision.models.mobilenet_v3_small(), (image,)),
        "bert": lambda: (networks.Bert(vocabulary=3000, layers=4), masks),
        "gpt2": lambda: (networks.Gpt2(64, 32, 4, 3, 128), (tokens,)),
        "llama": lambda: (networks.Llama(vocabulary=3000, layers=3), (tokens,)),
        "vit": lambda: (networks.vit(), (image,)),
        "upsample": lambda: (networks.Upsampled(), (image,)),
    }
    for name, made in all_networks.items():
        if not asked or name in asked:
            model, inputs = made()
            torch_graph.save(model, inputs, str(HERE / f"{name}.json"))
            print(name, sum(one.numel() for one in model.parameters()), "parameters")


if __name__ == "__main__":
    main(sys.argv[1:])
