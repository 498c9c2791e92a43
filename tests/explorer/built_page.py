"""built_page.py PROGRAM SOURCE: where a release's explorer.html is next to dodona, `dodona explorer` takes the search from
it: with the question and the files that are asked for, of the same version only. Neither Emscripten nor a browser is needed:
the page's own search is nothing here, and its script runs in Node (hostile.js), where there is one, on what a hostile link
or answer would have it print.
"""

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import explorer

program, source = (os.path.abspath(path) for path in sys.argv[1:3])
WASM = b"\0asm\1\0\0\0"  # a module with nothing in it


def packed(content):
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()


def part(page, name):
    text = re.search(f'id="dodona-{name}">([^<]*)<', page).group(1)
    return gzip.decompress(base64.b64decode(text))


def written(folder, *words):
    """(exit code, page, complaint) of `dodona explorer` next to the explorer.html in that folder."""
    page = os.path.join(folder, "written.html")
    done = subprocess.run([program, "explorer", *words, "-o", page], capture_output=True, text=True,
                          env=dict(os.environ, DODONA_DATA=source, DODONA_EXPLORER_MODULE=folder))
    if done.returncode != 0:
        return done.returncode, "", done.stderr
    with open(page, encoding="utf-8") as stream:
        return 0, stream.read(), done.stderr


def place(folder, text):
    with open(os.path.join(folder, "explorer.html"), "w", encoding="utf-8") as stream:
        stream.write(text)


def check_question(folder):
    """The page has the search of the release, this question and this machine."""
    machine = os.path.join(folder, "<b onclick=alert(1)>.yaml")
    shutil.copy(os.path.join(source, "hardware/clusters/dgx-h100.yaml"), machine)
    code, page, complaint = written(folder, "mixtral-8x7b", "--machine", machine, "--gpus", "32", "--set", "layers=16")
    if code != 0:
        explorer.fail(f"exit code {code}: {complaint}")
    if part(page, "module") != WASM or part(page, "worker") != b"the release's":
        explorer.fail("the search of the page is not that of the release")
    question = json.loads(part(page, "question"))
    if (question["model"], question["gpus"], question["options"]["set"]) != ("mixtral-8x7b", 32, {"layers": "16"}):
        explorer.fail(f"the page opens with {question}")
    if question["machine"] not in [one["name"] for one in json.loads(part(page, "data"))["machines"]]:
        explorer.fail("the user's machine is not in the page")
    if "<b onclick" in page:
        explorer.fail("a file's name is markup of the page")
    return page


def check_refused(folder, release):
    version = re.search('content="(dodona [^"]*)"', release).group(1)
    for text, why in ((release.replace(version, "dodona 0.0.0"), "is of another version"),
                      (release.replace(packed(WASM), "<script>"), "is no page of `dodona explorer`"),
                      ("", "is no page of `dodona explorer`")):
        place(folder, text)
        code, _, complaint = written(folder)
        if code != 3 or why not in complaint:
            explorer.fail(f"exit code {code} where 3 is due, {complaint}")
    os.remove(os.path.join(folder, "explorer.html"))
    code, _, complaint = written(folder)
    if code != 3 or "explorer.html of the release" not in complaint:
        explorer.fail(f"without a page: exit code {code}, {complaint}")


def check_policy(page):
    policy = re.search('http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    if (rules["default-src"], rules["base-uri"], rules["form-action"]) != ("'none'",) * 3 or "http" in policy:
        explorer.fail(f"the page may load or send: {policy}")
    if "unsafe-eval" in rules["script-src"].replace("wasm-unsafe-eval", ""):
        explorer.fail(f"the page may make code of text: {policy}")


def check_hostile(folder, page):
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        print("no node: the page's script was not run")
        return
    _, answer, _ = explorer.dodona(program, source, "plan", "mixtral-8x7b", "--machine", "dgx-h100", "--gpus", "32", "--json")
    for name, text in (("page.html", page), ("answer.json", answer)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
            stream.write(text)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile.js")
    done = subprocess.run([node, script, os.path.join(folder, "page.html"), os.path.join(folder, "answer.json")],
                          capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        explorer.fail(done.stdout + done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        # A page that `dodona explorer` writes of a module is that of a release.
        for name, content in (("dodona.js", b""), ("dodona.wasm", WASM)):
            with open(os.path.join(folder, name), "wb") as stream:
                stream.write(content)
        code, release, complaint = written(folder)
        if code != 0:
            explorer.fail(f"exit code {code}: {complaint}")
        for name in ("dodona.js", "dodona.wasm"):
            os.remove(os.path.join(folder, name))
        worker = re.search('id="dodona-worker">([^<]*)<', release).group(1)
        release = release.replace(re.search('id="dodona-module">([^<]*)<', release).group(1), packed(WASM))
        release = release.replace(worker, packed(b"the release's"))
        place(folder, release)
        page = check_question(folder)
        check_policy(page)
        check_hostile(folder, page)
        check_refused(folder, release)
    print("pages are made of that of a release")


main()
