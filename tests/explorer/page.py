"""page.py PROGRAM SOURCE [SCREENSHOTS]: the explorer's page in a real browser: it answers as the command does, follows the
reader, says what changed, loads nothing, and complains of nothing. SCREENSHOTS: a folder for pictures of it.

Skips (77) where there is no headless Chromium or no module.
"""

import base64
import json
import os
import shutil
import sys
import tempfile

import chromium
import explorer

program, source = (os.path.abspath(path) for path in sys.argv[1:3])
pictures = sys.argv[3] if len(sys.argv) > 3 else None
BROWSERS = ("chromium-headless-shell", "chromium")


def answered(page):
    """The exit code that the page shows, once it has answered."""
    code = page.wait("document.documentElement.dataset.answer", lambda value: value not in (None, "searching"))
    if code == "failed":
        explorer.fail(page.value("document.getElementById('status').textContent"))
    return int(code)


def change(page, name, value):
    """What a reader types or chooses."""
    page.value("document.documentElement.dataset.answer = 'searching'")
    page.value(f"""(function () {{
      const field = document.getElementById('question').elements[{json.dumps(name)}];
      field.value = {json.dumps(value)};
      field.dispatchEvent(new Event('input', {{ bubbles: true }}));
    }})()""")
    return answered(page)


def check_answer(page):
    """The answer on the page is the command's to the question that the page names."""
    code = answered(page)
    words = page.value("Array.from(document.querySelectorAll('pre')).pop().textContent").split()
    expected, output, complaint = explorer.dodona(program, source, *words[1:], "--json")
    if code != expected:
        explorer.fail(f"{words}: exit code {code}, the command's is {expected}: {complaint}")
    shown = json.loads(page.value("document.getElementById('dodona-result').textContent"))
    found = explorer.difference(shown, json.loads(output))
    if found:
        explorer.fail(f"{words}: the page and the command differ: {found}")
    return words


def check_names(page):
    """Every field, button and picture has a name for those who do not see it."""
    nameless = [node for node in page.accessible() if node["role"] in chromium.NAMED_ROLES and not node["name"]]
    if nameless:
        explorer.fail(f"without a name: {nameless[0]}")


def check_keyboard(page):
    """Tab reaches the fields in the order of the page, with a visible outline."""
    page.value("document.querySelector('select').focus()")
    reached = []
    for _ in range(4):
        page.press("Tab")
        reached.append(page.value("document.activeElement.name || document.activeElement.getAttribute('aria-label')"))
    if reached != ["machine", "half the GPUs", "gpus", "twice the GPUs"]:
        explorer.fail(f"Tab reaches {reached}")


def check_width(page, width, dark):
    page.look(width, dark)
    too_wide = page.value("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    if too_wide:
        explorer.fail(f"at {width} pixels the page is wider than the window")
    if pictures:
        with open(os.path.join(pictures, f"explorer-{width}{'-dark' if dark else ''}.png"), "wb") as stream:
            stream.write(base64.b64decode(page.picture()))


def follow_a_reader(page):
    check_answer(page)
    change(page, "gpus", "64")
    words = check_answer(page)
    if words[words.index("--gpus") + 1] != "64":
        explorer.fail(f"64 GPUs are asked for, the page asks {words}")
    if "in comparison" not in page.value("document.getElementById('answer').textContent"):
        explorer.fail("the page does not say what changed")
    change(page, "axis.tensor", "4")
    check_answer(page)
    change(page, "adjust.bandwidth.unit", "0.1")
    words = check_answer(page)
    if "bandwidth.unit=0.1" not in words:
        explorer.fail(f"a tenth of the bandwidth is asked for, the page asks {words}")


def main():
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if browser is None:
        explorer.skip("no " + " or ".join(BROWSERS))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = os.path.join(folder, "explorer.html")
        explorer.write_page(program, source, file)
        with chromium.Chromium(browser, folder) as page:
            page.open(f"file://{file}#model=llama-3.1-8b&machine=dgx-h100&gpus=16&batch=512")
            follow_a_reader(page)
            check_names(page)
            check_keyboard(page)
            for width in (400, 1600):
                for dark in (False, True):
                    check_width(page, width, dark)
            change(page, "model", "llama-3.1-405b")
            if "fits" not in page.value("document.querySelector('.headline').textContent"):
                explorer.fail("the page does not say that nothing fits")
            if page.complaints:
                explorer.fail(f"the page complains: {page.complaints[0]}")
    print("the page answers as the command does")


main()
