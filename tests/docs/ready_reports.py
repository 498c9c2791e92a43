"""ready_reports.py: are the reports in reports/ready what the program writes today? DODONA_ACCEPT=1 writes them anew."""

import filecmp
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["DODONA_SOURCE"])
READY = SOURCE / "reports" / "ready"
environment = dict(os.environ, DODONA_DATA=str(SOURCE))

with tempfile.TemporaryDirectory() as folder:
    into = READY if os.environ.get("DODONA_ACCEPT") == "1" else pathlib.Path(folder)
    subprocess.run([READY / "make.sh", os.environ["DODONA_PROGRAM"], into], env=environment, check=True,
                   stdin=subprocess.DEVNULL)
    made = sorted(path.name for path in into.iterdir() if path.suffix in (".md", ".svg"))
    kept = sorted(path.name for path in READY.iterdir() if path.suffix in (".md", ".svg") and path.name != "README.md")
    if not made or [name for name in made if name != "README.md"] != kept:
        print(f"FAILED: made {made}, kept {kept}")
        sys.exit(1)
    others = [name for name in kept if not filecmp.cmp(into / name, READY / name, shallow=False)]
    if others:
        print(f"FAILED: {others} are not what the program writes; DODONA_ACCEPT=1 writes them anew")
        sys.exit(1)
