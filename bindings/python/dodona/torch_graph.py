"""Writes the graph of a PyTorch network for dodona: operators, shapes and names, no weights.

    from dodona.torch_graph import save
    save(model, (tokens,), "model.json")       # then: dodona plan ./model.json ...

Needs PyTorch alone, so the file may be copied to where that is. From 2.1 on torch.export traces the network, before (from
1.13 on) make_fx. Inputs are examples: their first axis is the batch, their other extents are those of the network.
"""

import json
import math
from itertools import chain
from typing import Any, Dict, List, Sequence, Tuple

import torch


def _traced(model: torch.nn.Module, inputs: Tuple[Any, ...], weights: Dict[str, torch.Tensor]) -> Tuple[Any, Dict[str, str]]:
    """The graph, and which of its placeholders are tensors of the model."""
    try:
        from torch.export import export
    except ImportError:
        from torch.fx.experimental.proxy_tensor import make_fx
        from torch.nn.utils.stateless import functional_call

        graph = make_fx(lambda all, *given: functional_call(model, all, given), tracing_mode="fake")(weights, *inputs).graph
        return graph, {node.name: name for node, name in zip(graph.nodes, weights)}
    program = export(model, inputs)
    signature = program.graph_signature
    constants = getattr(signature, "inputs_to_lifted_tensor_constants", {})
    return program.graph, {**signature.inputs_to_parameters, **signature.inputs_to_buffers, **constants}


def _argument(value: Any) -> Any:
    """As JSON has it: a node is "%name"."""
    if isinstance(value, (list, tuple)):
        return [_argument(item) for item in value]
    if isinstance(value, torch.fx.Node):
        return f"%{value.name}"
    is_plain = value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))
    return value if is_plain else str(value)


def _result(value: Any) -> Any:
    """Shape and type; of several results a list."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "shape"):
        return [_result(item) for item in value]
    shape = [int(getattr(getattr(extent, "node", None), "hint", extent)) for extent in getattr(value, "shape", [])]
    return {"shape": shape, "type": str(getattr(value, "dtype", type(value).__name__)).replace("torch.", "")}


def save(model: torch.nn.Module, inputs: Sequence[Any], path: str) -> None:
    """Traces `model` on `inputs`, its positional arguments, and writes the graph to `path`."""
    weights = {f"{prefix}.{name}".lstrip("."): tensor for prefix, module in model.named_modules(remove_duplicate=False)
               for name, tensor in chain(module._parameters.items(), module._buffers.items()) if tensor is not None}
    graph, names = _traced(model, tuple(inputs), weights)
    first: Dict[int, str] = {}  # names of tensors that several placeholders share
    lines: List[str] = []
    for node in graph.nodes:
        entry = {"name": node.name, "kind": node.op}
        if node.op == "call_function":
            is_aten = isinstance(node.target, torch._ops.OpOverload)
            entry["target"] = str(node.target) if is_aten else getattr(node.target, "__name__", str(node.target))
        if node.args:
            entry["inputs"] = _argument(node.args)
        if node.kwargs:
            entry["options"] = {key: _argument(value) for key, value in node.kwargs.items()}
        result = node.meta.get("val", node.meta.get("tensor_meta"))
        if node.name in names:
            result = weights.get(names[node.name], result)
            entry.update(weight=names[node.name], learnt=isinstance(result, torch.nn.Parameter),
                         same_as=first.setdefault(id(result), node.name))
        lines.append(json.dumps({**entry, "result": _result(result)}))
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"torch_graph": 1, "torch": "%s", "nodes": [\n%s\n]}\n' % (torch.__version__, ",\n".join(lines)))
