"""browser.py PROGRAM SOURCE: reports in a real browser: every chart is drawn, nothing is complained of, nothing escapes.

Skips (77) where there is no headless Chromium, or where the scripts of charts were not fetched (`ninja report_assets`).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

program, source = (os.path.abspath(path) for path in sys.argv[1:3])
BROWSERS = ("chromium-headless-shell", "chromium")
HOSTILE = '<img src=x onerror="document.title=`escaped`"></script><script>document.title=`escaped`</script>'


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def fail(why):
    print(f"FAILED: {why}")
    sys.exit(1)


def run(*words, code=0):
    environment = dict(os.environ, DODONA_DATA=source)
    done = subprocess.run([program, *words], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)
    if done.returncode != code:
        fail(f"{words} exits with {done.returncode}: {done.stderr}")


def look(browser, page, width):
    """The page's elements after its scripts ran; complaints fail the test."""
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},3000", "--virtual-time-budget=20000",
               "--enable-logging=stderr", "--dump-dom", f"file://{page}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    if complaints:
        fail(f"{page}, {width} pixels: {complaints[0]}")
    return done.stdout


def charts_drawn(dom):
    marked = re.search(r'<html[^>]* data-charts="(\w+)"', dom)
    places = len(re.findall(r'id="chart-\d+"', dom))
    drawn = len(re.findall(r'<(?:svg|canvas)[^>]* class="marks"', dom)) or len(re.findall(r'class="marks"', dom))
    return marked.group(1) if marked else "not at all", places, drawn


def printed_pages(browser, page, folder):
    printed = os.path.join(folder, "page.pdf")
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--no-pdf-header-footer",
                    f"--print-to-pdf={printed}", f"file://{page}"], capture_output=True, timeout=300, check=True)
    with open(printed, "rb") as stream:
        return len(re.findall(rb"/Type\s*/Page\b", stream.read()))


def main():
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if browser is None:
        skip("no " + " or ".join(BROWSERS))
    if not os.path.exists(os.path.join(os.path.dirname(program), "reports", "assets", "vega-embed.min.js")):
        skip("`ninja report_assets` has not fetched the scripts of charts")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(source, "models", "alexnet.yaml"), encoding="utf-8") as stream:
            model = stream.read()
        hostile = os.path.join(folder, "hostile.yaml")
        with open(hostile, "w", encoding="utf-8") as stream:
            stream.write(re.sub(r'^source:.*$', lambda _: "source: '" + HOSTILE + "'", model, count=1, flags=re.M))
        page = os.path.join(folder, "page.html")
        run("report", hostile, "--machine", "abci", "--gpus", "1..16", "--strategy", "data,pipeline,filter", "--batch", "64",
            "--batch-per-gpu", "32", "-o", page)
        if os.path.getsize(page) > 1_000_000:
            fail(f"the page has {os.path.getsize(page)} bytes")
        for width in (400, 1600):
            dom = look(browser, page, width)
            marked, places, drawn = charts_drawn(dom)
            if not places or marked != str(places) or drawn < places:
                fail(f"{width} pixels: {drawn} of {places} charts are drawn, the page says {marked}")
            if re.search(r"<img[^>]* onerror", dom) or "<title>escaped</title>" in dom:
                fail("the source of a model escapes")
            if "onerror" not in dom:
                fail("the hostile text is not on the page at all")
        forwarded = os.path.join(folder, "forwarded.html")
        run("report", "llama-3.1-8b", "--machine", "dgx-h100", "--gpus", "8..512", "-o", forwarded)
        if (pages := printed_pages(browser, forwarded, folder)) != 2:
            fail(f"a report is printed on {pages} pages, not on 2")
        again = os.path.join(folder, "again.json")
        run("report", "--from", page, "-o", again)
        run("diff", page, again)
    print(f"{places} charts drawn at 400 and 1600 pixels")


main()
