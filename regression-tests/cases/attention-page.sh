#!/usr/bin/env bash
# The page of nmt attention in a real browser. NMT_SCREENSHOTS=DIR keeps pictures of it.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../browser.sh"
make_text
make_vocabulary
train --steps 150 --encoder-layers 2
nmt attention -m run --source test.src --target test.tgt --lines 1-3 -o page.html --quiet
nmt attention -m run --source test.src --target test.tgt --lines 1-3 -o weights.json --quiet
# Text of others, which must stay text.
printf '%s\n' "</script><script>window.injected=true</script><img/src=x/onerror='window.injected=true'>" >hostile
nmt attention -m run --source hostile --target hostile -o hostile.html --quiet
tr '\n' ' ' <test.src | cut -d ' ' -f 1-60 >long.src
tr '\n' ' ' <test.tgt | cut -d ' ' -f 1-60 >long.tgt
nmt attention -m run --source long.src --target long.tgt -o long.html --quiet

browse "${NMT_SCREENSHOTS:-}" <<'EOF2'
import json
import sys
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

    # What is shown at first: all heads of the last layer over the source, and their mean.
    assert texts("#kind button") == ["Encoder", "Decoder", "Decoder over source"], texts("#kind button")
    heads = [entry["head"] for entry in weights[0]["cross"]]
    assert texts("#heads button") == ["mean of heads"] + [f"head {head}" for head in heads], texts("#heads button")
    names = browser.evaluate("[...document.querySelectorAll('#map text')].map((node) => node.firstChild.data)")
    assert names == weights[0]["source"] + weights[0]["target"], names

    # Every weight is drawn as dark as it is, and told under the mouse.
    browser.click("#heads button:nth-child(3)")
    second = weights[0]["cross"][1]["weights"]
    drawn = shades()
    for row, line in enumerate(second):
        for column, weight in enumerate(line):
            assert abs(drawn[row][column] / 255 - weight) < 0.005, (row, column)
    browser.hover("#map canvas", 0.5 / len(second[0]), 1.5 / len(second))
    expected = f"{weights[0]['target'][1]} looks at {weights[0]['source'][0]}: {second[1][0]:.3f}"
    assert value()[:-1] == expected[:-1], (value(), expected)

    # Rows by their largest weight.
    browser.click("[data-value='by row']")
    for row, (line, drawn) in enumerate(zip(second, shades(), strict=True)):
        assert drawn[line.index(max(line))] >= 254, row
    browser.click("[data-value='0 to 1']")

    # The keyboard reaches all of it.
    browser.evaluate("document.querySelector('#kind button').focus()")
    browser.press(" ")
    assert "encoder, layer 1" in texts("#caption")[0], texts("#caption")
    for _ in range(4):
        browser.press("Tab")
    browser.press(" ")
    assert "encoder, layer 2" in texts("#caption")[0], texts("#caption")
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

    # Another pair.
    browser.evaluate("""(() => {
        document.querySelector("#pair").value = "2";
        document.querySelector("#pair").dispatchEvent(new Event("change"));
    })()""")
    assert texts("#caption")[0].startswith("Line 3, decoder"), texts("#caption")
    browser.expect_no_complaints()

    browser.open("hostile.html")
    assert not browser.evaluate("window.injected")
    assert browser.evaluate("document.querySelectorAll('#map img, #texts img, b').length") == 0
    assert "<script>" in texts("#texts")[0], texts("#texts")

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

    if sys.argv[1]:
        browser.open("page.html")
        browser.hover("#map canvas", 0.5, 0.5)
        for theme in ("light", "dark"):
            browser.theme(theme)
            browser.screenshot(f"{sys.argv[1]}/attention-{theme}.png")
EOF2
