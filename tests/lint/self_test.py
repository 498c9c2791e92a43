"""self_test.py ROOT: each lint finds the fault it is for, in a small tree made for that, and nothing in a clean one."""

import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
OPERATORS = 'OperatorKind{"conv", build_conv, 1, 1, "convolution"},\n'
LAYERS = '# a comment\nbase:\ngraph: base\n<yaml-cpp/: graph\n<boost/: .cpp graph\n<mpi:\n'
TREE = {"operators": {"oracle/graph/operators.cpp": OPERATORS},
        "words": {"tests/lint/words.txt": "# a comment\noracle/base 1\n"}}  # what a lint reads beside the file under test

# lint, path, content, what the lint must say (None: nothing)
CASES = [
    ("layers", "oracle/graph/a.cpp", '#include <vector>\n#include "base/a.hpp"\n#include <yaml-cpp/yaml.h>\n', None),
    ("layers", "oracle/base/a.cpp", '\n#include "graph/a.hpp"\n', "oracle/base/a.cpp:2: \"graph/a.hpp\" is not below"),
    ("layers", "oracle/base/a.cpp", "#include <yaml-cpp/yaml.h>\n", "belongs in graph only"),
    ("layers", "oracle/base/a.cpp", "#include <mpi.h>\n", "belongs in no layer only"),
    ("layers", "oracle/graph/a.cpp", "#include <boost/a.hpp>\n", None),
    ("layers", "oracle/graph/a.hpp", "#include <boost/a.hpp>\n", "a.hpp:1: <boost/a.hpp> belongs in .cpp files only"),
    ("layers", "oracle/base/a.cpp", "#include <boost/a.hpp>\n", "belongs in graph only"),
    ("layers", "oracle/base/a.cpp", '#include "a.hpp"\n', "is in no layer"),
    ("layers", "calibrate/a.cpp", '#include "base/a.hpp"\n', "its folder is not in oracle/LAYERS"),
    ("layers", "oracle/graph/part/a.cpp", '#include "base/a.hpp"\n#include "graph/a.hpp"\n', None),
    ("layers", "oracle/other/a.cpp", "\n", "its folder is not in oracle/LAYERS"),
    ("listed", "oracle/base/a.hpp", "\n", None),
    ("listed", "oracle/base/a.cpp", "\n", "oracle/base/a.cpp: in no meson.build"),
    ("operators", "oracle/base/a.cpp", 'bool a = kind == "normal";\n', None),
    ("operators", "oracle/graph/operators/a.cpp", 'bool a = kind == "conv";\n', None),
    ("operators", "oracle/base/a.cpp", '\nbool a = kind == "conv";\n', 'a.cpp:2: names the operator "conv"'),
    ("text", "oracle/base/a.cpp", "int a;\n", None),
    ("text", "oracle/base/a.cpp", "int a; \n", "a.cpp:1: trailing blank"),
    ("text", "oracle/base/a.cpp", "\tint a;\n", "a.cpp:1: tab"),
    ("text", "oracle/base/a.cpp", "int a;", "no line end"),
    ("text", "cli/a.cpp", "std::ranges::move(a, b);\n", "a.cpp:1: std::ranges"),
    ("text", "oracle/base/a.hpp", "struct A {\n    int b;\n    auto operator<=>(const A&) const = default;\n};\n", None),
    ("text", "oracle/base/a.hpp", "struct A {\n    std::string b;\n    auto operator<=>(const A&) const = default;\n};\n",
     "a.hpp:3: auto operator<=>"),
    ("text", "docs/a.md", "A b " * 26 + "\n", "a.md:1: more than 100 columns"),
    ("text", "docs/a.md", "`" + "A b " * 30 + "`\n```\n" + "A b " * 29 + "A\n```\n", None),
    ("text", "models/a.yaml", 'model: a\nsource: "b"\n', None),
    ("text", "models/a.yaml", "model: a\n", "models/a.yaml: no source:"),
    ("text", "hardware/a.yaml", "device: a\nsource:\n", "hardware/a.yaml: no source:"),
    ("text", "models/a.yaml", 'model: a\nsource: "the notes of the authors, arXiv:1"\n', None),
    ("text", "models/a.yaml", 'model: a\nsource: "our notes"\n', "models/a.yaml:2: 'our notes' is a source that nobody"),
    ("text", "oracle/base/a.hpp", "// Source: the project's\n/// notes on a.\n", "a.hpp:1: \"project's notes\" is"),
    ("text", "tests/a.cpp", "// a baseline (seeds, section 10)\n", "'seeds, section' is a source"),
    ("words", "oracle/base/a.cpp", "int usualSize;  // The gateway of a device\n", None),
    ("words", "oracle/base/a.cpp", "int usual;\nint b;  ///< What is beside it\n", "oracle/base: 3 private words, 1 at most"),
    ("words", "oracle/base/a.cpp", "int a;\nint kMostNodes, is_alike;\n", 'a.cpp:2: "k Most": say kMax...'),
    ("words", "oracle/graph/a.cpp", "// The same as b\n", 'a.cpp:1: "The same": start with a noun or a verb'),
    ("words", "oracle/graph/part/a.cpp", "int whatever;\n", "oracle/graph: 1 private words, 0 at most"),
    ("links", "docs/a.md", "# A b\n[x](../oracle/LAYERS), [y](#a-b), `oracle/LAYERS.txt/NAME.cpp`\n", None),
    ("links", "docs/a.md", "[x](b.md)\n", "docs/a.md:1: b.md: no such file"),
    ("links", "docs/a.md", "# A\n[x](#b)\n", "docs/a.md:2: #b: no such heading"),
    ("links", "docs/a.md", "\n`graph/a.cpp`\n", "docs/a.md:2: graph/a.cpp: no such file"),
    ("format", "oracle/base/a.cpp", "int a;\n", None),
    ("format", "oracle/base/a.cpp", "int  a ;\n", "a.cpp"),
    ("shell", "a", "#!/bin/sh\necho ok\n", None),
    ("shell", "a", "#!/bin/sh\nfor a in $(ls *); do echo $a; done\n", "SC2"),
]

failures = 0
for lint, path, content, expected in CASES:
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**TREE.get(lint, {"oracle/LAYERS": LAYERS}), path: content}.items():
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, os.path.join(here, lint + ".py"), root], capture_output=True, text=True)
    if done.returncode == 77:
        continue
    if expected is None:
        good = done.returncode == 0 and not done.stdout
    else:
        good = done.returncode == 1 and expected in done.stdout
    if not good:
        failures += 1
        print(f"{lint} on {path}: expected {expected!r}, got exit status {done.returncode}: {done.stdout}{done.stderr}")
sys.exit(1 if failures else 0)
