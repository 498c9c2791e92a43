"""accessible.py PROGRAM SOURCE: what a screen reader is told of an HTML page: tables and bars have names, and the keyboard reaches
what is wider than the page.

Skips (77) where there is no headless Chromium.
"""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "explorer"))
import chromium
import explorer

program, source = (os.path.abspath(path) for path in sys.argv[1:3])


def main():
    browser = next((path for path in map(shutil.which, ("chromium-headless-shell", "chromium")) if path), None)
    if browser is None:
        explorer.skip("no chromium-headless-shell or chromium")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = os.path.join(folder, "plan.html")
        subprocess.run([program, "plan", "resnet50", "--machine", "abci", "--gpus", "16", "-o", file], check=True,
                       env=dict(os.environ, DODONA_DATA=source))
        with chromium.Chromium(browser, folder) as page:
            page.open(f"file://{file}")
            nodes = page.accessible()
            nameless = [node for node in nodes if node["role"] in chromium.NAMED_ROLES and not node["name"]]
            if nameless:
                explorer.fail(f"without a name: {nameless[0]}")
            names = [node["name"] for node in nodes if node["role"] in ("image", "img")]
            if not any(name.startswith("exposed time") and "forward" in name for name in names):
                explorer.fail(f"the bar of times is not read out: {names}")
            unreached = page.value("document.querySelectorAll('.wide:not([tabindex])').length")
            if unreached or page.complaints:
                explorer.fail(f"{unreached} tables cannot be reached; {page.complaints}")
    print(f"{len(names)} pictures and all tables have names")


main()
