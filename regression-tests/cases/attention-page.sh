#!/usr/bin/env bash
# The page of nmt attention in a real browser.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../browser.sh"
make_text
make_vocabulary
train --steps 150 --encoder-layers 2 --decoder-layers 2
nmt attention -m run --source test.src --target test.tgt --lines 1-3 -o page.html --quiet
nmt attention -m run --source test.src --target test.tgt --lines 1-3 -o weights.json --quiet
# Hostile text, which must stay text.
printf '%s\n' "</script><script>window.injected=true</script><img/src=x/onerror='window.injected=true'>" >hostile
nmt attention -m run --source hostile --target hostile -o hostile.html --quiet
# Pieces that form words.
nmt vocab -i train.src -i train.tgt -o pieces.spm --type char --size 23 --quiet
nmt train "${small[@]}" --vocab pieces.spm --source train.src --target train.tgt --steps 5 --save-every 0 -o pieces --quiet
nmt attention -m pieces --source test.src --target test.tgt --lines 1 -o pieces.html --quiet
nmt attention -m pieces --source test.src --target test.tgt --lines 1 -o pieces.json --quiet
tr '\n' ' ' <test.src | cut -d ' ' -f 1-60 >long.src
tr '\n' ' ' <test.tgt | cut -d ' ' -f 1-60 >long.tgt
nmt attention -m run --source long.src --target long.tgt -o long.html --quiet

browse <<'EOF2'
import json
import math
from browser import Browser

weights = json.load(open("weights.json"))

with Browser(1200, 1000) as browser:
    browser.open("page.html")

    def texts(selector):
        return browser.evaluate(f"[...document.querySelectorAll('{selector}')].map((node) => node.textContent)")

    def value():
        return texts("#value")[0]

    def shades():
        """How dark the weights of the large map are drawn, row by row, from 0 to 255."""
        return browser.evaluate("""(() => {
            const canvas = document.querySelector("#map canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return Array.from({ length: canvas.height }, (_, row) => Array.from({ length: canvas.width },
                (_, column) => data[4 * (row * canvas.width + column) + 3]));
        })()""")

    # The initial view: the mean of the heads of the last layer over the source, and next to it all layers and heads.
    assert texts("#kind button") == ["Encoder", "Decoder", "Decoder over source"], texts("#kind button")
    heads = sorted({entry["head"] for entry in weights[0]["cross"]})
    names = browser.evaluate("[...document.querySelectorAll('#heads button')].map((node) => node.ariaLabel)")
    assert names == [f"layer {layer}, {head}" for layer in (1, 2)
                     for head in ["mean of heads"] + [f"head {head}" for head in heads]], names
    assert "layer 2, mean of heads" in texts("#caption")[0], texts("#caption")
    names = browser.evaluate("[...document.querySelectorAll('#map [data-row], #map [data-column]')]"
                             ".map((node) => node.firstChild.data)")
    assert names == weights[0]["source"] + weights[0]["target"], names
    sentence = "".join(weights[0]["source"][:-1]).replace("▁", " ").strip()
    assert browser.evaluate("document.title") == f"{sentence} – Attention of run", browser.evaluate("document.title")

    # Two columns if there is room for them, otherwise one.
    def columns():
        return browser.evaluate("new Set([...document.querySelectorAll('.columns > section')]"
                                ".map((node) => node.getBoundingClientRect().left)).size")

    browser.resize(1400, 1000)
    assert columns() == 2
    browser.resize(420, 800)
    assert columns() == 1
    assert browser.evaluate("document.documentElement.scrollWidth") <= 420
    browser.resize(1200, 1000)
    browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # drawn anew

    # The overview matches the map, and clicking it selects what the map shows.
    browser.click("[data-layer='2'][data-head='2']")
    assert "layer 2, head 2" in texts("#caption")[0], texts("#caption")
    assert browser.evaluate("document.querySelectorAll('.lines line.faint').length") > 0

    # Every weight has the right shade and appears under the mouse.
    second = [entry for entry in weights[0]["cross"] if (entry["layer"], entry["head"]) == (2, 2)][0]["weights"]
    drawn = shades()
    for row, line in enumerate(second):
        for column, weight in enumerate(line):
            assert abs(drawn[row][column] / 255 - weight) < 0.005, (row, column)
    browser.hover("#map canvas", 0.5 / len(second[0]), 1.5 / len(second))
    expected = f"{weights[0]['target'][1]} looks at {weights[0]['source'][0]}: {second[1][0]:.3f}"
    assert value()[:-1] == expected[:-1], (value(), expected)

    # Pointing at a word shades its partners and draws lines to them, in both directions.
    def partners(other, expected):
        shown = browser.evaluate(f"[...document.querySelectorAll('.token[data-{other}]')]"
                                 ".map((node) => parseInt(node.style.getPropertyValue('--strength')))")
        assert shown == [round(55 * weight) for weight in expected], (shown, expected)
        lines = browser.evaluate("document.querySelectorAll('.lines line').length")
        assert lines == sum(weight >= 0.02 for weight in expected), (lines, expected)
        faintest = browser.evaluate("Math.min(...[...document.querySelectorAll('.lines line')].map((line) => line.getAttribute('stroke-opacity')))")
        assert faintest > 0.1, "a line that cannot be seen"

    # While no word is pointed at, faint lines show the largest weights.
    browser.hover(".token[data-row='1']")
    browser.hover("h1")
    def faint_lines():
        return browser.evaluate("[...document.querySelectorAll('.lines line.faint')].map((line) => Number(line.getAttribute('stroke-opacity')))")

    strong = [weight for line in second for weight in line if weight >= 0.15]
    assert 0 < len(strong) == len(faint_lines()), (strong, faint_lines())
    assert all(abs(opacity - 0.5 * weight) < 0.001 for opacity, weight in zip(faint_lines(), strong)), (strong, faint_lines())
    assert browser.evaluate("document.querySelectorAll('.lines line:not(.faint)').length") == 0

    rounded = [[round(4095 * weight) / 4095 for weight in line] for line in second]
    browser.hover(".token[data-row='2']")
    partners("column", rounded[2])
    assert faint_lines() == []
    probability = math.exp(weights[0]["log_probabilities"][2])
    assert texts("#hint")[0].startswith(f"{weights[0]['target'][2]}, probability {probability:.3f}, looks at "), texts("#hint")
    assert texts('.token[data-row="2"] small') == [f"{probability:.2f}"], texts('.token[data-row="2"] small')
    ends = browser.evaluate("""(() => {
        const line = document.querySelector(".lines line").getBoundingClientRect();
        const above = document.querySelector(".tokens").getBoundingClientRect();
        const below = document.querySelector(".token[data-row='2']").getBoundingClientRect();
        return [line.top - above.bottom, line.bottom - below.top];
    })()""")
    assert all(abs(end) < 1 for end in ends), ends
    browser.hover(".token[data-column='1']")
    partners("row", [line[1] for line in rounded])
    assert "is looked at by" in texts("#hint")[0], texts("#hint")
    browser.hover("h1")
    assert len(faint_lines()) == len(strong) == browser.evaluate("document.querySelectorAll('.lines line').length")

    # Rows scaled to their largest weight.
    browser.click("[data-value='by row']")
    for row, (line, drawn) in enumerate(zip(second, shades(), strict=True)):
        assert drawn[line.index(max(line))] >= 254, row
    browser.click("[data-value='0 to 1']")

    # The keyboard reaches everything.
    browser.evaluate("document.querySelector('#kind button').focus()")
    browser.press(" ")
    assert "encoder, layer 2" in texts("#caption")[0], texts("#caption")
    browser.evaluate("document.querySelector('#heads [tabindex=\\'0\\']').focus()")
    browser.press("ArrowUp")
    browser.press("ArrowRight")
    assert "encoder, layer 1, head 3" in texts("#caption")[0], texts("#caption")
    browser.evaluate("document.querySelector('.token[data-row]').focus()")
    browser.press("ArrowRight")
    browser.press("ArrowUp")
    assert browser.evaluate("document.activeElement.dataset.column") == "1"
    assert "is looked at by" in texts("#hint")[0], texts("#hint")
    browser.evaluate("document.querySelector('#map svg').focus()")
    at_first = value()
    browser.press("ArrowDown")
    browser.press("ArrowRight")
    assert value() != at_first
    for _ in range(30):
        browser.press("ArrowRight")
        browser.press("ArrowDown")
    assert value().startswith("</s> looks at </s>: "), value()

    # The mask of the decoder.
    browser.click("#kind button:nth-of-type(2)")
    assert not any(sum(line[row + 1:]) for row, line in enumerate(shades()))

    # Selecting another pair.
    browser.evaluate("""(() => {
        document.querySelector("#pair").value = "2";
        document.querySelector("#pair").dispatchEvent(new Event("change"));
    })()""")
    assert texts("#caption")[0].startswith("Line 3, decoder"), texts("#caption")
    assert browser.evaluate("document.title") != f"{sentence} – Attention of run"
    browser.expect_no_complaints()

    # Merged into words: a word attends like the mean of its pieces, is attended to like their sum, and probabilities
    # multiply.
    browser.open("pieces.html")
    browser.click("[data-value='words']")
    pair = json.load(open("pieces.json"))[0]
    words = {side: "".join(pair[side][:-1]).split("▁")[1:] + ["</s>"] for side in ("source", "target")}
    assert texts(".token[data-column] > span") == words["source"], texts(".token[data-column] > span")
    assert texts(".token[data-row] > span") == words["target"], texts(".token[data-row] > span")
    begins = {side: [i for i, piece in enumerate(pair[side]) if piece.startswith("▁") or piece == "</s>"] + [len(pair[side])]
              for side in words}
    spans = {side: list(zip(begins[side], begins[side][1:])) for side in words}
    heads = [entry["weights"] for entry in pair["cross"]]
    drawn = shades()
    for row, (begin, end) in enumerate(spans["target"]):
        for column, (first, last) in enumerate(spans["source"]):
            weight = sum(sum(line[first:last]) for head in heads for line in head[begin:end]) / len(heads) / (end - begin)
            assert abs(drawn[row][column] / 255 - weight) < 0.01, (row, column)
        assert abs(sum(drawn[row]) / 255 - 1) < 0.02, row
    begin, end = spans["target"][1]
    browser.hover(".token[data-row='1']")
    assert f"probability {math.exp(sum(pair['log_probabilities'][begin:end])):.3f}" in texts("#hint")[0], texts("#hint")
    browser.expect_no_complaints()

    browser.open("hostile.html")
    assert not browser.evaluate("window.injected")
    assert browser.evaluate("document.querySelectorAll('#map img, #words img, b').length") == 0
    assert "<script>" in texts("#words")[0], texts("#words")

    # Sixty tokens: labels do not overlap, and the page does not scroll sideways.
    browser.open("long.html")
    boxes = browser.evaluate("""[...document.querySelectorAll("#map [data-row]")].map((node) =>
        node.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])""")
    assert len(boxes) > 60 and all(b[0] >= a[0] + 11 for a, b in zip(boxes, boxes[1:])), boxes
    browser.resize(380, 800)
    assert browser.evaluate("document.documentElement.scrollWidth") <= 380
    browser.resize(1200, 1000)

    def background():
        return browser.evaluate("getComputedStyle(document.body).backgroundColor")

    browser.theme("dark")
    assert background() == "rgb(21, 24, 28)", background()
    assert "invert" in browser.evaluate("getComputedStyle(document.querySelector('#map canvas')).filter")
    browser.theme("light")
    assert background() == "rgb(255, 255, 255)", background()
    browser.expect_no_complaints()
    browser.expect_requests_only_to("file://")
    browser.expect_that_nothing_can_leave()
EOF2
