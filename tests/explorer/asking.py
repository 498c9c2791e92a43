"""What the tests of pages that ask share: what a reader does, and what must hold of what the page then shows."""

import base64
import json
import os
import shutil

import chromium
import explorer

BROWSERS = ("chromium-headless-shell", "chromium")


def browser():
    """The browser's path; skips where there is none."""
    found = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if found is None:
        explorer.skip("no " + " or ".join(BROWSERS))
    return found


def require_module(program):
    """Skips where the search was not compiled for pages."""
    if not os.path.exists(os.path.join(os.path.dirname(program), "explorer", "dodona.wasm")):
        explorer.skip("`ninja explorer` has not built the module of the page (needs Emscripten)")


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


def check_answer(page, program, source):
    """The answer on the page is the command's to the question that the page names."""
    code = answered(page)
    words = page.value("Array.from(document.querySelectorAll('#answer pre')).pop().textContent").split()
    expected, output, complaint = explorer.dodona(program, source, *words[1:], "--json")
    if code != expected:
        explorer.fail(f"{words}: exit code {code}, the command's is {expected}: {complaint}")
    shown = json.loads(page.value("document.getElementById('dodona-answer').textContent"))
    found = explorer.difference(shown, json.loads(output))
    if found:
        explorer.fail(f"{words}: the page and the command differ: {found}")
    return words


def check_names(page):
    """Every field, button and picture has a name for those who do not see it."""
    nameless = [node for node in page.accessible() if node["role"] in chromium.NAMED_ROLES and not node["name"]]
    if nameless:
        explorer.fail(f"without a name: {nameless[0]}")


def check_selectable(page):
    """A reader can mark and copy all texts."""
    marked = page.value("(getSelection().selectAllChildren(document.querySelector('main')), getSelection().toString())")
    for part in ("h1", ".headline", "#answer pre"):
        text = page.value(f"document.querySelector('{part}').innerText")
        if not text or text not in marked:
            explorer.fail(f"{part} cannot be selected: {text}")
    page.value("getSelection().removeAllRanges()")


def check_width(page, width, dark, pictures, name):
    page.look(width, dark)
    too_wide = page.value("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    if too_wide:
        explorer.fail(f"at {width} pixels the page is wider than the window")
    if pictures:
        with open(os.path.join(pictures, f"{name}-{width}{'-dark' if dark else ''}.png"), "wb") as stream:
            stream.write(base64.b64decode(page.picture()))
