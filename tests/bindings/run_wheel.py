"""run_wheel.py SOURCE MODULE: packs the wheel, unpacks it into an empty folder and runs the tests, the notebook and the
examples of docs/bindings.md there, without the environment's DODONA_DATA: all that they read is in the wheel."""

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

source, module = (Path(word).resolve() for word in sys.argv[1:3])
with tempfile.TemporaryDirectory() as folder:
    place = Path(folder)
    pack = [sys.executable, source / "bindings/python/wheel.py", module, source, place / "wheels"]
    first = Path(subprocess.run(pack, check=True, capture_output=True, text=True).stdout.strip())
    content = first.read_bytes()
    subprocess.run(pack, check=True, capture_output=True)
    assert first.read_bytes() == content, "the same input makes another wheel"
    with zipfile.ZipFile(first) as wheel:
        wheel.extractall(place / "site")
    environment = {name: value for name, value in os.environ.items() if name != "DODONA_DATA"}
    environment.update(PYTHONPATH=str(place / "site"), PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="Agg")
    page = place / "page.py"
    page.write_text("\n".join(re.findall(r"```python\n(.*?)```", (source / "docs/bindings.md").read_text(), re.S)))
    for script in (source / "tests/bindings/package_test.py", source / "docs/notebook.py", page):
        ended = subprocess.run([sys.executable, script], cwd=place, env=environment)
        if ended.returncode != 0:
            sys.exit(f"{script.name}: exit status {ended.returncode}")
