"""page_example.py SOURCE LIBRARY COMPILER: the C program of docs/bindings.md, compiled, linked and run."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

source, library, compiler = (Path(word).resolve() for word in sys.argv[1:4])
program = re.search(r"```c\n(.*?)```", (source / "docs/bindings.md").read_text(), re.S).group(1)
with tempfile.TemporaryDirectory() as folder:
    place = Path(folder)
    (place / "example.c").write_text(program)
    subprocess.run([compiler, "-std=c99", "-Wall", "-Werror", "-I", source / "bindings/c", "example.c", library, "-o", "example"],
                   cwd=place, check=True)
    environment = dict(os.environ, DODONA_DATA=str(source), LD_LIBRARY_PATH=str(library.parent))
    answer = subprocess.run([place / "example"], cwd=place, env=environment, check=True, capture_output=True, text=True).stdout
    schema = json.loads(answer)["schema"]
    if schema != "dodona/predict/1":
        sys.exit(f"the program prints {schema}")
