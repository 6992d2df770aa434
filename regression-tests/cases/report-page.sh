#!/usr/bin/env bash
# The page of nmt report in a real browser. NMT_SCREENSHOTS=DIR keeps pictures of it.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../browser.sh"
set -m # so that SIGINT is not ignored in the background
make_text
make_vocabulary
valid=(--valid-source test.src --valid-target test.tgt)
train "${valid[@]}" --steps 120 --log-every 2 --valid-every 15
nmt train "${small[@]}" --vocab words.spm --source train.src --target train.tgt "${valid[@]}" --steps 120 --log-every 2 \
  --valid-every 15 --save-every 0 --warmup 300 --seed 2 -o '<b>slow' --quiet
# Text of others, which must stay text.
hostile="</script><script>window.injected = true</script><img src=x onerror='window.injected = true'>"
for file in '<b>slow'/valid/*.txt; do sed -i "1s|.*|$hostile|" "$file"; done
printf '__proto__: 1\nconstructor: "%s"\n' "$hostile" >>'<b>slow/config.yml'
printf '{"event":"valid","step":120,"target_tokens":1,"seconds":1,"constructor":1,"__proto__":2,"<b>":3}\n' \
  >>'<b>slow/metrics.jsonl'
nmt report run '<b>slow' -o page.html --lines 1,20,30

browse "${NMT_SCREENSHOTS:-}" <<'EOF2'
import sys
from browser import Browser

with Browser(1200, 860) as browser:
    browser.open("page.html")

    def count(selector):
        return browser.evaluate(f"document.querySelectorAll('{selector}').length")

    def text(selector):
        return browser.evaluate(f"document.querySelector('{selector}').textContent")

    # Everything is there: both runs in every chart, and the place of each figure.
    assert text("h1") == "run, <b>slow", text("h1")
    assert count("#runs tr") == 3, count("#runs tr")
    for figure in ("loss", "perplexity", "BLEU", "learning rate", "gradient norm", "target tokens per second",
                   "seconds waited for data", "constructor", "__proto__", "<b>"):
        assert count(f'figure[data-figure="{figure}"] .line') >= 1, figure
    loss = 'figure[data-figure="loss"] '
    assert count(loss + ".line") == 4, "training and validation of two runs"
    assert browser.evaluate("""[...document.querySelectorAll("figure .line")].every((line) =>
        !line.getAttribute("d").includes("NaN"))""")
    ticks = f"[...document.querySelectorAll('{loss} text')].map((node) => node.textContent)"
    assert "100" in browser.evaluate(ticks), browser.evaluate(ticks)

    # Hostile text stays text.
    assert not browser.evaluate("window.injected")
    assert count("b") + count("#translations img") + count("#settings img") == 0
    assert "<img src=x" in text("#translations")
    assert "<img src=x" in text("#settings")

    # The axis can be chosen.
    browser.click('[data-axis="tokens"]')
    assert "100" not in browser.evaluate(ticks), browser.evaluate(ticks)
    browser.click('[data-axis="seconds"]')
    assert any(tick.endswith(" s") for tick in browser.evaluate(ticks)), browser.evaluate(ticks)
    browser.click('[data-axis="step"]')

    ticks_of_time = "[[0, 3e5], [259200, 3e5], [5400, 9000], [1800, 6000], [1800, 600], [119100, 5000], [7, 30], [119107, 9]]"
    assert browser.evaluate(f"{ticks_of_time}.map(([at, span]) => timeTick(at, span))") == [
        "0 d", "3 d", "1.5 h", "30 min", "30 min", "33:05 h", "7 s", "33:05:07"]

    # Zoom by mouse and keys, in all charts at once; and back.
    def window():
        return browser.evaluate("view.zoom")

    browser.drag(loss + "svg", 0.4, 0.7)
    left, right = window()
    assert 30 < left < 60 < 75 < right < 100, (left, right)
    assert "100" not in browser.evaluate(ticks.replace("loss", "learning rate")), "another chart has not followed"
    browser.press("+")
    assert abs(2 * (window()[1] - window()[0]) - (right - left)) < 1, window()
    browser.press("ArrowRight")
    assert window()[0] > left + (right - left) / 4 + 1, window()
    browser.press("ArrowLeft")
    browser.press("-")
    assert abs(window()[0] - left) < 1, window()
    browser.press("0")
    assert window() is None
    browser.wheel(loss + "svg", -100)
    assert window()[1] - window()[0] < 110, window()
    browser.click("#reset")
    assert window() is None
    browser.drag(loss + "svg", 0.4, 0.7)
    browser.click(loss + "svg", count=2)
    assert window() is None

    # What lies under the mouse is told.
    browser.hover(loss + "svg", 0.5)
    assert "run, training: " in text(loss + ".tip"), text(loss + ".tip")
    assert "<b>slow, validation: " in text(loss + ".tip")
    browser.mouse("mouseMoved", 5, 5)
    assert browser.evaluate(f"document.querySelector('{loss} .tip').hidden")

    # Scales and runs are switched on and off; the keyboard reaches that too.
    line = f"document.querySelector('{loss} .line').getAttribute('d')"
    before = browser.evaluate(line)
    browser.click(loss + "button")
    assert browser.evaluate(line) != before
    assert browser.evaluate(f"document.querySelector('{loss} button').ariaPressed") == "true"
    browser.evaluate(f"document.querySelector('{loss} button').focus()")
    browser.press(" ")
    assert browser.evaluate(line) == before
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.tagName") == "svg"
    browser.click("#runs input")
    assert count(loss + ".line") == 2
    browser.click("#runs input")
    assert count(loss + ".line") == 4

    # Translations: reference, steps, what is new; settings: what differs, or all.
    assert count("#translations details") == 3
    assert count("#translations details[open]") == 1
    browser.click("#translations details:nth-child(2) summary")
    assert count("#translations details[open] mark") > 0
    assert "reference" in text("#translations details:nth-child(2)")
    names = "[...document.querySelectorAll('#settings th:first-child')].map((node) => node.textContent)"
    assert {"warmup", "seed", "constructor"} <= set(browser.evaluate(names)), browser.evaluate(names)
    assert "d-model" not in browser.evaluate(names)
    browser.click("#every")
    assert "d-model" in browser.evaluate(names)

    # It fits into narrow windows.
    browser.resize(380, 800)
    browser.wait("document.documentElement.scrollWidth <= 380")
    browser.resize(1200, 860)
    browser.evaluate("scrollTo(0, 0)")

    def background():
        return browser.evaluate("getComputedStyle(document.body).backgroundColor")

    browser.theme("dark")
    assert background() == "rgb(21, 24, 28)", background()
    browser.theme("light")
    assert background() == "rgb(255, 255, 255)", background()
    browser.expect_no_complaints()
    browser.expect_requests_only_to("file://")
    browser.expect_that_nothing_can_leave()
EOF2

# One that is served follows the run, and keeps what the reader has chosen.
: >log
"$NMT" report run --watch --port 0 2>log &
until grep -q "look at " log; do kill -0 $! && sleep 0.05; done
browse "$(sed 's/.*\(http:[^ ]*\).*/\1/' log)" <<'EOF2'
import sys
from browser import Browser

with Browser() as browser:
    address = sys.argv[1]
    browser.open(address)
    browser.drag("figure svg", 0.1, 0.4)
    zoom = browser.evaluate("view.zoom")
    with open("run/metrics.jsonl", "a") as metrics:
        metrics.write('{"event":"train","step":125,"loss":0.125,"target_tokens":99999,"seconds":99}\n')
    browser.wait("document.querySelector('#runs').textContent.includes('125')")
    assert browser.evaluate("view.zoom") == zoom
    browser.expect_no_complaints()
    browser.expect_requests_only_to(address)
    browser.expect_that_nothing_can_leave()
EOF2
kill -INT %1
exits 130 wait %1

# Pictures of it, of runs without the hostile text.
[[ -n ${NMT_SCREENSHOTS:-} ]] || exit 0
rm -r '<b>slow' run
train "${valid[@]}" --steps 150 --log-every 2 --valid-every 15
nmt train "${small[@]}" --vocab words.spm --source train.src --target train.tgt "${valid[@]}" --steps 150 --log-every 2 \
  --valid-every 15 --save-every 0 --d-model 32 -o narrow --quiet
nmt report run narrow -o page.html
browse "$NMT_SCREENSHOTS" <<'EOF2'
import sys
from browser import Browser

with Browser(1100, 860) as browser:
    browser.open("page.html")
    browser.hover("figure svg", 0.6)
    for theme in ("light", "dark"):
        browser.theme(theme)
        browser.screenshot(f"{sys.argv[1]}/report-{theme}.png")
EOF2
