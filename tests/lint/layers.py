"""Every #include of the program is one that oracle/LAYERS allows."""

import re
import sys

import tree

root = sys.argv[1]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"][^>"]+[>"])')


def complaint(path, layer, include, layers, reserved):
    for prefix, allowed in reserved.items():
        if include.startswith(prefix):
            folders = [folder for folder in allowed if folder != ".cpp"]
            if layer not in folders:
                return f"belongs in {' and '.join(folders) or 'no layer'} only"
            return None if path.endswith(".cpp") or ".cpp" not in allowed else "belongs in .cpp files only"
    if include[0] == "<":
        return None
    target = tree.layer_of(include.strip('"'), layers)
    if target is None:
        return "is in no layer of oracle/LAYERS"
    if target != layer and target not in layers[layer]:
        return f"is not below {layer} in oracle/LAYERS"
    return None


def main():
    layers, reserved = tree.layers(root)
    complaints = []
    for path in tree.files(root, ".cpp", ".hpp", ".cu", ".cuh", within=("oracle/", "questions/", "cli/", "reports/", "calibrate/", "lab/", "bindings/")):
        layer = tree.layer_of(path, layers)
        if layer is None:
            complaints.append(f"{path}: its folder is not in oracle/LAYERS")
            continue
        for number, line in enumerate(tree.text(root, path).splitlines(), 1):
            include = INCLUDE.match(line)
            why = include and complaint(path, layer, include[1], layers, reserved)
            if why:
                complaints.append(f"{path}:{number}: {include[1]} {why}")
    tree.report(complaints)


main()
