"""Every #include of the program is one that oracle/LAYERS allows."""

import os
import re
import sys

import tree

root = sys.argv[1]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"][^>"]+[>"])')


def rules():
    """(folder -> the folders it may include, include prefix -> the folders that may include it)"""
    layers, reserved = {}, {}
    for line in tree.text(root, "oracle/LAYERS").splitlines():
        if line and line[0] not in "#[":
            key, allowed = line.split(":")
            (reserved if key[0] in '<"' else layers)[key] = allowed.split()
    return layers, reserved


def layer_of(path, layers):
    """The line of oracle/LAYERS that a file belongs to, or None. Folders without a line belong to the one around them."""
    folder = os.path.dirname(path.removeprefix("oracle/"))
    while folder and folder not in layers:
        folder = os.path.dirname(folder)
    return folder or None


def complaint(layer, include, layers, reserved):
    for prefix, folders in reserved.items():
        if include.startswith(prefix):
            return None if layer in folders else f"belongs in {' and '.join(folders) or 'no layer'} only"
    if include[0] == "<":
        return None
    target = layer_of(include.strip('"'), layers)
    if target is None:
        return "is in no layer of oracle/LAYERS"
    if target != layer and target not in layers[layer]:
        return f"is not below {layer} in oracle/LAYERS"
    return None


def main():
    layers, reserved = rules()
    complaints = []
    for path in tree.files(root, ".cpp", ".hpp", ".cu", ".cuh", within=("oracle/", "cli/", "reports/", "calibrate/", "bindings/")):
        layer = layer_of(path, layers)
        if layer is None:
            complaints.append(f"{path}: its folder is not in oracle/LAYERS")
            continue
        for number, line in enumerate(tree.text(root, path).splitlines(), 1):
            include = INCLUDE.match(line)
            why = include and complaint(layer, include[1], layers, reserved)
            if why:
                complaints.append(f"{path}:{number}: {include[1]} {why}")
    tree.report(complaints)


main()
