"""report.py PROGRAM SOURCE [SCREENSHOTS]: a page of `dodona report --interactive` in a real browser: it opens with the question of
its recommendation, answers as the command does, and draws its charts as any report. SCREENSHOTS: a folder for pictures of it.

Skips (77) where there is no headless Chromium, no module, or no scripts of charts.
"""

import json
import os
import sys
import tempfile

import asking
import chromium
import explorer

program, source = (os.path.abspath(path) for path in sys.argv[1:3])
pictures = sys.argv[3] if len(sys.argv) > 3 else None
JOB = ["report", "llama-3.1-8b", "--machine", "dgx-h100", "--gpus", "8,16,32", "--batch", "512", "--strategy", "megatron,zero3",
       "--seq", "4096", "--set", "layers=16", "--adjust", "memory=0.5", "--fixed", "recompute=none", "--precision", "bf16"]


def write(file, *words):
    code, _, complaint = explorer.dodona(program, source, *words, "-o", file)
    if code != 0:
        explorer.fail(f"{words} exits with {code}: {complaint}")


def check_files(file, folder):
    """The page is no larger than that of the explorer, and carries its report as any other."""
    if os.path.getsize(file) > 3_000_000:
        explorer.fail(f"the page has {os.path.getsize(file)} bytes")
    plain, again = (os.path.join(folder, name) for name in ("plain.json", "again.json"))
    write(plain, *JOB)
    write(again, "report", "--from", file)
    with open(plain, encoding="utf-8") as one, open(again, encoding="utf-8") as other:
        if one.read() != other.read():
            explorer.fail("the page does not carry the report that is written as JSON")
    write(os.path.join(folder, "again.html"), "report", "--from", plain, "--interactive")
    code, _, complaint = explorer.dodona(program, source, *JOB, "--interactive", "-o", os.path.join(folder, "page.md"))
    if code != 2 or "--interactive" not in complaint:
        explorer.fail(f"a Markdown page in which its reader asks: exit code {code}, {complaint}")
    return plain


def recommended(file):
    """Step time of the recommendation: the smallest at its number of GPUs."""
    with open(file, encoding="utf-8") as stream:
        report = json.load(stream)
    devices = report["best"]["gpus"]
    steps = [point["plan"]["step_time_s"]["value"] for strategy in report["scalings"][0]["strategies"]
             for point in strategy["points"] if point["gpus"] == devices and point["plan"]]
    return devices, min(steps)


def follow_a_reader(page, plain):
    if page.value("document.documentElement.dataset.answer"):
        explorer.fail("the search runs before anybody asks")
    page.value("document.querySelector('details.folded').open = true")
    words = asking.check_answer(page, program, source)
    devices, step = recommended(plain)
    shown = json.loads(page.value("document.getElementById('dodona-answer').textContent"))
    found = min(plan["step_time_s"]["value"] for plan in shown["plans"])
    if words[words.index("--gpus") + 1] != str(devices) or abs(found / step - 1) > 1e-9:
        explorer.fail(f"the recommendation takes {step} s on {devices} GPUs; the page asks {words} and finds {found} s")
    for option in ("--seq", "--set", "--adjust", "--fixed", "--precision", "--strategy"):
        if option not in words:
            explorer.fail(f"the report was asked with {option}, the page asks {words}")
    for name, value in {"gpus": "16", "axis.pipeline": "2", "adjust.bandwidth.unit": "0.25", "set.layers": "", "strategy": "megatron"}.items():
        asking.change(page, name, value)
        asking.check_answer(page, program, source)
    if "in comparison" not in page.value("document.getElementById('answer').textContent"):
        explorer.fail("the page does not say what changed")


def main():
    browser = asking.browser()
    if not os.path.exists(os.path.join(os.path.dirname(program), "reports", "assets", "vega-embed.min.js")):
        explorer.skip("`ninja report_assets` has not fetched the scripts of charts")
    asking.require_module(program)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = os.path.join(folder, "report.html")
        write(file, *JOB, "--interactive")
        plain = check_files(file, folder)
        with chromium.Chromium(browser, folder) as page:
            page.open(f"file://{file}")
            charts = page.wait("document.documentElement.dataset.charts", lambda value: value is not None)
            if charts == "failed" or int(charts) < 4:
                explorer.fail(f"charts drawn: {charts}")
            follow_a_reader(page, plain)
            asking.check_names(page)
            asking.check_selectable(page)
            for width in (400, 1600):
                for dark in (False, True):
                    asking.check_width(page, width, dark, pictures, "report")
            if page.complaints:
                explorer.fail(f"the page complains: {page.complaints[0]}")
    print("the page of a report answers as the command does")


main()
