"""No code outside oracle/graph/operators names an operator: what others need to know of one is a fact that its nest, its
work or its kernels carry. Kernels have names of their own (oracle/graph/kernel.hpp, primitive.hpp), some of which are also
names of operators; OTHER_MEANINGS lists the files that may use them. What writes model files of networks that others
exported (oracle/files/traced) names operators as their users do."""

import re
import sys

import tree

root = sys.argv[1]
TABLE = "oracle/graph/operators.cpp"
HOMES = (TABLE, "oracle/graph/operators/", "oracle/graph/kernel.hpp", "oracle/graph/primitive.hpp", "oracle/files/traced/")

# Where a word that is also an operator's name means something else: path prefix -> words.
OTHER_MEANINGS = {
    "oracle/plan/framework.hpp": {"attention"},  # parameters of frameworks are named by the kernels that they slow down
    "oracle/cost/error_source.hpp": {"attention"},  # likewise sources of error
    "oracle/traces/device_work": {"attention", "lstm", "rnn"},  # kinds of kernels, and parts of their names
    "reports/render/vega_lite.cpp": {"linear"},  # a scale
    "oracle/files/model_table.cpp": {"gated"},  # a column
    "lab/evidence/fits/": {"conv", "embedding", "linear"},  # cells of published tables of kernels
    # Benchmarks of kernels, in the words of calibrate/record/benchmark_case.hpp:
    "calibrate/": {"attention", "relu", "gelu", "silu", "sigmoid", "tanh", "softmax", "add"},
}


def operators():
    return set(re.findall(r'OperatorKind\{"(\w+)"', tree.text(root, TABLE)))


def may_say(path, word):
    return any(path.startswith(prefix) and word in words for prefix, words in OTHER_MEANINGS.items())


def main():
    names = operators()
    if not names:
        tree.report([f"{TABLE}: no operator was found there"])
    quoted = re.compile(r'"(' + "|".join(sorted(names)) + r')"')
    complaints = []
    for path in tree.files(root, ".cpp", ".hpp", ".cu", ".cuh", within=("oracle/", "questions/", "cli/", "reports/", "calibrate/", "lab/")):
        if path.startswith(HOMES):
            continue
        for number, line in enumerate(tree.text(root, path).splitlines(), 1):
            for match in quoted.finditer(line.split("//")[0]):
                if not may_say(path, match[1]):
                    complaints.append(f'{path}:{number}: names the operator "{match[1]}"; let the operator carry the fact')
    tree.report(complaints)


main()
