"""Every #include in oracle/ and reports/ is one that oracle/LAYERS allows."""

import re
import sys

import tree

root = sys.argv[1]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"][^>"]+[>"])')


def rules():
    """(folder -> the folders it may include, include prefix -> the folders that may include it)"""
    layers, reserved = {}, {}
    for line in tree.text(root, "oracle/LAYERS").splitlines():
        if line and not line.startswith("#"):
            key, allowed = line.split(":")
            (reserved if key[0] in '<"' else layers)[key] = allowed.split()
    return layers, reserved


def complaint(layer, include, layers, reserved):
    for prefix, folders in reserved.items():
        if include.startswith(prefix):
            return None if layer in folders else f"belongs in {' and '.join(folders) or 'no layer'} only"
    if include[0] == "<":
        return None
    target = include.strip('"').split("/")[0]
    if "/" not in include or target not in layers:
        return "is in no layer of oracle/LAYERS"
    if target != layer and target not in layers[layer]:
        return f"is not below {layer} in oracle/LAYERS"
    return None


def main():
    layers, reserved = rules()
    complaints = []
    for path in tree.files(root, ".cpp", ".hpp", within=("oracle/", "reports/")):
        parts = path.split("/")
        layer = parts[1] if parts[0] == "oracle" else parts[0]
        if layer not in layers:
            complaints.append(f"{path}: {layer} is not in oracle/LAYERS")
            continue
        for number, line in enumerate(tree.text(root, path).splitlines(), 1):
            include = INCLUDE.match(line)
            why = include and complaint(layer, include[1], layers, reserved)
            if why:
                complaints.append(f"{path}:{number}: {include[1]} {why}")
    tree.report(complaints)


main()
