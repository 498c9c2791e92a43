#!/usr/bin/env python3
"""Writes the files of ONNX in this folder: networks as PyTorch exports them, without their weights.

Needs Debian's python3-torch, python3-torchvision and python3-onnx (1.13.1, 0.14.1 and 1.12.0 wrote what is here). Modules
compute what those of Hugging Face's transformers 4.26 do, line by line: gpt2, bert, llama. Weights of more than `kept`
numbers lose their bytes, but keep their shapes, as if they lay in files of their own.
"""

import math
import pathlib
import sys
import tempfile

import onnx
import torch
import torchvision
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).parent


class Conv1D(nn.Module):
    def __init__(self, out, features):
        super().__init__()
        self.out = out
        self.weight = nn.Parameter(torch.randn(features, out) * 0.02)
        self.bias = nn.Parameter(torch.zeros(out))

    def forward(self, x):
        shape = x.size()[:-1] + (self.out,)
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(shape)


class Gpt2Block(nn.Module):
    def __init__(self, hidden, heads, positions):
        super().__init__()
        self.hidden, self.heads = hidden, heads
        self.ln_1 = nn.LayerNorm(hidden)
        self.c_attn = Conv1D(3 * hidden, hidden)
        self.c_proj = Conv1D(hidden, hidden)
        self.ln_2 = nn.LayerNorm(hidden)
        self.c_fc = Conv1D(4 * hidden, hidden)
        self.mlp_proj = Conv1D(hidden, 4 * hidden)
        mask = torch.tril(torch.ones(positions, positions, dtype=torch.uint8))
        self.register_buffer("bias", mask.view(1, 1, positions, positions))
        self.register_buffer("masked_bias", torch.tensor(-1e4))

    def split(self, x):
        return x.view(x.size()[:-1] + (self.heads, self.hidden // self.heads)).permute(0, 2, 1, 3)

    def forward(self, x):
        query, key, value = self.c_attn(self.ln_1(x)).split(self.hidden, dim=2)
        query, key, value = self.split(query), self.split(key), self.split(value)
        scores = torch.matmul(query, key.transpose(-1, -2)) / (value.size(-1) ** 0.5)
        queries, keys = query.size(-2), key.size(-2)
        mask = self.bias[:, :, keys - queries : keys, :keys].bool()
        scores = torch.where(mask, scores, self.masked_bias.to(scores.dtype))
        result = torch.matmul(functional.softmax(scores, dim=-1), value).permute(0, 2, 1, 3).contiguous()
        x = x + self.c_proj(result.view(result.size()[:-2] + (self.hidden,)))
        up = self.c_fc(self.ln_2(x))
        up = 0.5 * up * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (up + 0.044715 * torch.pow(up, 3.0))))
        return x + self.mlp_proj(up)


class Gpt2(nn.Module):
    def __init__(self, vocabulary=50257, hidden=768, heads=12, layers=12, positions=1024):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, hidden)
        self.wpe = nn.Embedding(positions, hidden)
        self.h = nn.ModuleList([Gpt2Block(hidden, heads, positions) for _ in range(layers)])
        self.ln_f = nn.LayerNorm(hidden)
        self.lm_head = nn.Linear(hidden, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, ids):
        ids = ids.view(-1, ids.size(-1))
        positions = torch.arange(0, ids.size(-1), dtype=torch.long).unsqueeze(0).view(-1, ids.size(-1))
        x = self.wte(ids) + self.wpe(positions)
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class BertLayer(nn.Module):
    def __init__(self, hidden, heads, ffn):
        super().__init__()
        self.heads, self.size = heads, hidden // heads
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)
        self.dense = nn.Linear(hidden, hidden)
        self.attention_norm = nn.LayerNorm(hidden, eps=1e-12)
        self.intermediate = nn.Linear(hidden, ffn)
        self.output = nn.Linear(ffn, hidden)
        self.output_norm = nn.LayerNorm(hidden, eps=1e-12)

    def split(self, x):
        return x.view(x.size()[:-1] + (self.heads, self.size)).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.size) + mask
        context = torch.matmul(functional.softmax(scores, dim=-1), value).permute(0, 2, 1, 3).contiguous()
        x = self.attention_norm(self.dense(context.view(context.size()[:-2] + (self.heads * self.size,))) + x)
        return self.output_norm(self.output(functional.gelu(self.intermediate(x))) + x)


class Bert(nn.Module):
    def __init__(self, vocabulary=30522, hidden=768, heads=12, layers=12, ffn=3072):
        super().__init__()
        self.word = nn.Embedding(vocabulary, hidden)
        self.position = nn.Embedding(512, hidden)
        self.token_type = nn.Embedding(2, hidden)
        self.norm = nn.LayerNorm(hidden, eps=1e-12)
        self.layer = nn.ModuleList([BertLayer(hidden, heads, ffn) for _ in range(layers)])
        self.pooler = nn.Linear(hidden, hidden)
        self.register_buffer("position_ids", torch.arange(512).expand((1, -1)))

    def forward(self, input_ids, attention_mask, token_type_ids):
        mask = (1.0 - attention_mask[:, None, None, :].to(torch.float32)) * -10000.0
        x = self.word(input_ids) + self.token_type(token_type_ids)
        x = self.norm(x + self.position(self.position_ids[:, : input_ids.size(1)]))
        for layer in self.layer:
            x = layer(x, mask)
        return torch.tanh(self.pooler(x[:, 0]))


class RmsNorm(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


def rotated(x):
    return torch.cat((-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]), dim=-1)


class LlamaLayer(nn.Module):
    def __init__(self, hidden, heads, kv_heads, ffn):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, hidden // heads
        self.q_proj = nn.Linear(hidden, hidden, bias=False)
        self.k_proj = nn.Linear(hidden, kv_heads * self.size, bias=False)
        self.v_proj = nn.Linear(hidden, kv_heads * self.size, bias=False)
        self.o_proj = nn.Linear(hidden, hidden, bias=False)
        self.gate_proj = nn.Linear(hidden, ffn, bias=False)
        self.up_proj = nn.Linear(hidden, ffn, bias=False)
        self.down_proj = nn.Linear(ffn, hidden, bias=False)
        self.input_layernorm = RmsNorm(hidden)
        self.post_attention_layernorm = RmsNorm(hidden)

    def repeated(self, x):
        batch, heads, length, size = x.shape
        times = self.heads // self.kv_heads
        return x[:, :, None].expand(batch, heads, times, length, size).reshape(batch, self.heads, length, size)

    def forward(self, x, cos, sin, mask):
        batch, length, _ = x.shape
        y = self.input_layernorm(x)
        query = self.q_proj(y).view(batch, length, self.heads, self.size).transpose(1, 2)
        key = self.k_proj(y).view(batch, length, self.kv_heads, self.size).transpose(1, 2)
        value = self.v_proj(y).view(batch, length, self.kv_heads, self.size).transpose(1, 2)
        query = query * cos + rotated(query) * sin
        key = key * cos + rotated(key) * sin
        key, value = self.repeated(key), self.repeated(value)
        scores = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(self.size) + mask
        weights = functional.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
        result = torch.matmul(weights, value).transpose(1, 2).contiguous().reshape(batch, length, -1)
        x = x + self.o_proj(result)
        y = self.post_attention_layernorm(x)
        return x + self.down_proj(functional.silu(self.gate_proj(y)) * self.up_proj(y))


class Llama(nn.Module):
    def __init__(self, vocabulary=32000, hidden=512, heads=8, kv_heads=2, ffn=1376, layers=4):
        super().__init__()
        self.embed_tokens = nn.Embedding(vocabulary, hidden)
        self.layers = nn.ModuleList([LlamaLayer(hidden, heads, kv_heads, ffn) for _ in range(layers)])
        self.norm = RmsNorm(hidden)
        self.lm_head = nn.Linear(hidden, vocabulary, bias=False)
        size = hidden // heads
        self.register_buffer("frequencies", 1.0 / (10000 ** (torch.arange(0, size, 2).float() / size)))

    def forward(self, ids):
        length = ids.shape[1]
        x = self.embed_tokens(ids)
        angles = torch.outer(torch.arange(length).float(), self.frequencies)
        angles = torch.cat((angles, angles), -1)
        cos, sin = angles.cos()[None, None], angles.sin()[None, None]
        mask = torch.triu(torch.full((length, length), -1e9), diagonal=1)[None, None]
        for layer in self.layers:
            x = layer(x, cos, sin, mask)
        return self.lm_head(self.norm(x))


class Recurrent(nn.Module):
    def __init__(self, cell, batch_first, bidirectional):
        super().__init__()
        self.words = nn.Embedding(1000, 64)
        self.cell = cell(64, 128, 2, batch_first=batch_first, bidirectional=bidirectional)
        self.classes = nn.Linear(256 if bidirectional else 128, 10)

    def forward(self, ids):
        return self.classes(self.cell(self.words(ids))[0])


class Upsampled(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.upsample = nn.Upsample(scale_factor=2)

    def forward(self, x):
        return self.upsample(self.conv(x))


def vit():
    return torchvision.models.VisionTransformer(224, 16, num_layers=3, num_heads=12, hidden_dim=768, mlp_dim=3072)


def without_weights(path, kept):
    model = onnx.load(str(path), load_external_data=False)
    for weight in model.graph.initializer:
        numbers = 1
        for extent in weight.dims:
            numbers *= extent
        if weight.data_type == onnx.TensorProto.FLOAT and numbers > kept:
            weight.ClearField("raw_data")
            weight.ClearField("float_data")
    for node in model.graph.node:
        node.ClearField("doc_string")
    return model


def export(name, model, inputs, names, opset=14, symbols=None, kept=16, trains=False):
    mode = torch.onnx.TrainingMode
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        model.train() if trains else model.eval()
        torch.onnx.export(model, inputs, str(path), opset_version=opset, input_names=names,
                          dynamic_axes={one: symbols for one in names} if symbols else None,
                          training=mode.TRAINING if trains else mode.EVAL, do_constant_folding=not trains)
        onnx.save(without_weights(path, kept), str(HERE / f"{name}.onnx"))
    print(name, sum(one.numel() for one in model.parameters()), "parameters")


def main(asked):
    ids = torch.randint(0, 64, (1, 128))
    tokens = {0: "batch", 1: "sequence"}
    image = torch.randn(1, 3, 224, 224)
    masks = (ids, torch.ones(1, 128, dtype=torch.long), torch.zeros(1, 128, dtype=torch.long))
    masked = ["input_ids", "attention_mask", "token_type_ids"]
    networks = {
        "resnet50": lambda name: export(name, torchvision.models.resnet50(), (image,), ["image"], symbols={0: "batch"}, trains=True),
        "mobilenet_v3": lambda name: export(name, torchvision.models.mobilenet_v3_small(), (image,), ["image"]),
        "shufflenet": lambda name: export(name, torchvision.models.shufflenet_v2_x0_5(), (image,), ["image"]),
        "densenet121": lambda name: export(name, torchvision.models.densenet121(), (image,), ["image"]),
        "vit": lambda name: export(name, vit(), (image,), ["image"], symbols={0: "batch"}),
        "upsample": lambda name: export(name, Upsampled(), (image,), ["image"]),
        "bert": lambda name: export(name, Bert(vocabulary=3000, layers=4), masks, masked, symbols=tokens),
        "gpt2": lambda name: export(name, Gpt2(64, 32, 4, 3, 128), (ids,), ["input_ids"], symbols=tokens, kept=1 << 20),
        "llama": lambda name: export(name, Llama(vocabulary=3000, layers=3), (ids,), ["input_ids"], symbols=tokens),
        "lstm": lambda name: export(name, Recurrent(nn.LSTM, True, True), (ids,), ["ids"]),
        "gru": lambda name: export(name, Recurrent(nn.GRU, False, False), (ids.t(),), ["ids"], symbols={0: "sequence", 1: "batch"}),
    }
    torch.manual_seed(1)
    torch.set_num_threads(1)
    for name, write in networks.items():
        if not asked or name in asked:
            write(name)


if __name__ == "__main__":
    main(sys.argv[1:])
