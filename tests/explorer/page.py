"""page.py PROGRAM SOURCE [SCREENSHOTS]: the explorer's page in a real browser: it answers as the command does, follows the
reader, says what changed, loads nothing, and complains of nothing. SCREENSHOTS: a folder for pictures of it.

Skips (77) where there is no headless Chromium or no module.
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


def check_keyboard(page):
    """Tab reaches the fields in the order of the page, with a visible outline."""
    page.value("document.querySelector('select').focus()")
    reached = []
    for _ in range(4):
        page.press("Tab")
        reached.append(page.value("document.activeElement.name || document.activeElement.getAttribute('aria-label')"))
    if reached != ["machine", "half the GPUs", "gpus", "twice the GPUs"]:
        explorer.fail(f"Tab reaches {reached}")


def follow_a_reader(page):
    asking.check_answer(page, program, source)
    asking.change(page, "gpus", "64")
    words = asking.check_answer(page, program, source)
    if words[words.index("--gpus") + 1] != "64":
        explorer.fail(f"64 GPUs are asked for, the page asks {words}")
    if "in comparison" not in page.value("document.getElementById('answer').textContent"):
        explorer.fail("the page does not say what changed")
    asking.change(page, "axis.tensor", "4")
    asking.check_answer(page, program, source)
    asking.change(page, "adjust.bandwidth.unit", "0.1")
    words = asking.check_answer(page, program, source)
    if "bandwidth.unit=0.1" not in words:
        explorer.fail(f"a tenth of the bandwidth is asked for, the page asks {words}")
    asking.change(page, "set.sequence", "16384")
    asking.change(page, "set.layers", "16")
    words = asking.check_answer(page, program, source)
    if words[words.index("--seq") + 1] != "16384" or "layers=16" not in words:
        explorer.fail(f"longer samples and fewer layers are asked for, the page asks {words}")
    asking.change(page, "set.layers", "many")
    if "layers" not in page.value("document.querySelector('#answer pre').textContent"):
        explorer.fail("the page does not say what is wrong with the number of layers")
    asking.change(page, "set.layers", "")


def check_plan_words(page):
    """A plan is called what the command calls it: with the degree of its experts, its schedule and its software."""
    _, text, _ = explorer.dodona(program, source, "plan", "mixtral-8x7b", "--machine", "dgx-h100", "--gpus", "64", "--width", "200")
    headline, ranking = page.value("[document.querySelector('.headline').textContent, document.querySelector("
                                   "'#answer table[aria-label=\"the best plans\"] tbody tr').textContent]")
    if headline.split(": ")[1] != text.splitlines()[0].split(": ")[1] or " over " not in headline or "1f1b" not in ranking:
        explorer.fail(f"the page says {headline}, {ranking}; the command {text.splitlines()[0]}")


def drop(page, file):
    """A file that the reader drops on the page."""
    with open(file, encoding="utf-8") as stream:
        text = stream.read()
    page.value("document.documentElement.dataset.answer = 'searching'")
    page.value(f"""(function () {{
      const files = new DataTransfer();
      files.items.add(new File([{json.dumps(text)}], {json.dumps(os.path.basename(file))}));
      document.body.dispatchEvent(new DragEvent('drop', {{ dataTransfer: files, bubbles: true, cancelable: true }}));
    }})()""")
    return asking.answered(page)


def check_dropped(page, folder):
    """The config.json of a network and a script that launches one are read in the page as by the command."""
    config, script = (os.path.join(folder, name) for name in ("config.json", "train.sh"))
    with open(config, "w", encoding="utf-8") as stream:
        json.dump({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "hidden_act": "silu",
                   "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192,
                   "rms_norm_eps": 1e-5, "tie_word_embeddings": True}, stream)
    with open(script, "w", encoding="utf-8") as stream:
        stream.write("torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --tensor-model-parallel-size 4 --num-layers 24 "
                     "--hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 "
                     "--vocab-size 51200 --micro-batch-size 4 --global-batch-size 256 --bf16\n")
    for file, words in ((config, [config, "--gpus", "16"]), (script, ["--from", script])):
        drop(page, file)
        code, output, complaint = explorer.dodona(program, source, "plan", *words, "--machine", "dgx-h100", "--top", "10", "--json")
        if code != 0:
            explorer.fail(complaint)
        shown = json.loads(page.value("document.getElementById('dodona-answer').textContent"))
        found = explorer.difference(*([{**plan, "provenance": [line for line in plan["provenance"] if not line.startswith("model: ")]}
                                       for plan in answer["plans"]] for answer in (shown, json.loads(output))))
        if found:
            explorer.fail(f"{file}: the page and the command differ: {found}")
    if "As ./train.sh launches it: megatron" not in page.value("document.getElementById('answer').textContent"):
        explorer.fail("the page does not say how the script launches its training")


def check_layouts(page):
    """No layout is listed twice: the same sizes on the same axes, with the same memory."""
    shown = page.value("Array.from(document.querySelectorAll('#answer table[aria-label=\"the best plans\"] tbody tr'))"
                       ".map(row => Array.from(row.cells).slice(1).map(cell => cell.textContent))")
    layouts = [(tuple(sorted(row[0].split(": ")[1].split("; ")[0].split(", "))), row[1], row[2], row[-1]) for row in shown]
    if len(set(layouts)) < len(layouts) or not any("also as" in row[0] for row in shown):
        explorer.fail(f"a layout is listed twice, or none has two names: {shown}")


def main():
    browser = asking.browser()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = os.path.join(folder, "explorer.html")
        explorer.write_page(program, source, file)
        with chromium.Chromium(browser, folder) as page:
            page.open(f"file://{file}#model=llama-3.1-8b&machine=dgx-h100&gpus=16&batch=512")
            follow_a_reader(page)
            asking.check_names(page)
            asking.check_selectable(page)
            check_keyboard(page)
            for width in (400, 1600):
                for dark in (False, True):
                    asking.check_width(page, width, dark, pictures, "explorer")
            page.open("about:blank")
            page.open(f"file://{file}#model=llama-3.1-8b&machine=dgx-h100&gpus=16")
            asking.answered(page)
            check_dropped(page, folder)
            page.open("about:blank")  # another part of the same page is not loaded anew
            page.open(f"file://{file}#model=gpt3-20b&machine=selene&gpus=32&batch=128&axis.tensor=1&axis.pipeline=4")
            asking.answered(page)
            check_layouts(page)
            page.open("about:blank")
            page.open(f"file://{file}#model=mixtral-8x7b&machine=dgx-h100&gpus=64")
            asking.answered(page)
            check_plan_words(page)
            asking.change(page, "model", "llama-3.1-405b")
            asking.change(page, "axis.tensor", "")
            if "fits" not in page.value("document.querySelector('.headline').textContent"):
                explorer.fail("the page does not say that nothing fits")
            if page.complaints:
                explorer.fail(f"the page complains: {page.complaints[0]}")
    print("the page answers as the command does")


main()
