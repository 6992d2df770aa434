#!/usr/bin/env bash
# The page of nmt report in a real browser.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../browser.sh"
set -m # so that SIGINT is not ignored in the background
make_text
make_vocabulary
valid=(--valid-source test.src --valid-target test.tgt)
train "${valid[@]}" --best-by perplexity --steps 120 --log-every 2 --valid-every 15
nmt train "${small[@]}" --vocab words.spm --source train.src --target train.tgt "${valid[@]}" --best-by perplexity --steps 120 --log-every 2 \
  --valid-every 15 --save-every 0 --warmup 300 --seed 2 -o '<b>slow' --quiet
# Hostile text, which must stay text.
hostile="</script><script>window.injected = true</script><img src=x onerror='window.injected = true'>"
for file in '<b>slow'/valid/*.txt; do sed -i "1s|.*|$hostile|" "$file"; done
printf '__proto__: 1\nconstructor: "%s"\n' "$hostile" >>'<b>slow/config.yml'
printf '{"event":"valid","step":120,"target_tokens":1,"seconds":1,"constructor":1,"__proto__":2,"<b>":3}\n' \
  >>'<b>slow/metrics.jsonl'
printf '{"event":"train","step":%d,"absurd":%s}\n' 100 1e308 110 -1e308 120 1e-100 >>'<b>slow/metrics.jsonl'
nmt report run '<b>slow' -o page.html --lines 1,20,30

mkdir saved
browse <<'EOF2'
import pathlib
import re
import time
from browser import Browser

sources = pathlib.Path("test.src").read_text().splitlines()

with Browser(1400, 860) as browser:
    browser.download_to("saved")
    browser.open("page.html")

    def count(selector):
        return browser.evaluate(f"document.querySelectorAll('{selector}').length")

    def text(selector):
        return browser.evaluate(f"document.querySelector('{selector}').textContent")

    # Every chart has both runs, and figures are in their places.
    assert text("h1") == "run, <b>slow", text("h1")
    date = browser.evaluate("new Date(1000 * data.runs[1].progress.written).toLocaleString('sv')")
    assert browser.evaluate("document.title") == f"run, <b>slow, {date[:10]}", browser.evaluate("document.title")
    assert text("#made").startswith("nmt ") and text("#made").endswith(f", last line {date[:16]}"), text("#made")
    assert count("#runs tr") == 3, count("#runs tr")
    for figure in ("loss", "perplexity", "BLEU", "learning rate", "gradient norm", "target tokens per second",
                   "waiting for data (%)", "constructor", "__proto__", "<b>"):
        assert count(f'figure[data-figure="{figure}"] .line') >= 1, figure
    loss = 'figure[data-figure="loss"] '
    assert count(loss + "g > .line") == 4, "training and validation of two runs"
    assert browser.evaluate("""[...document.querySelectorAll("figure .line")].every((line) =>
        !line.getAttribute("d").includes("NaN"))""")
    ticks = f"[...document.querySelectorAll('{loss} text')].map((node) => node.textContent)"
    assert "100" in browser.evaluate(ticks), browser.evaluate(ticks)

    # Hostile text stays text.
    assert not browser.evaluate("window.injected")
    assert count("b") + count("#translations img") + count("#settings img") == 0
    assert "<img src=x" in text("#translations")
    assert "<img src=x" in text("#settings")

    # Scores have two decimals, times are shown as on a clock, and both axes have labels.
    def cells(label):
        return browser.evaluate(f"[...document.querySelectorAll('#runs td[data-label=\"{label}\"]')].map((node) => node.textContent)")

    assert all(re.fullmatch(r"\d+\.\d\d", cell) for cell in cells("best BLEU")), cells("best BLEU")
    assert all(re.fullmatch(r"\d+:\d\d", cell) for cell in cells("time")), cells("time")
    assert browser.evaluate("[7.4, 725, 3723, 359999].map(clockTime)") == ["0:07", "12:05", "1:02:03", "99:59:59"]
    assert browser.evaluate("[figureText('ter', 61.5), figureText('bleu', 7), figureText('loss', 7)]") == ["61.50", "7.00", "7"]
    labels = "[...document.querySelectorAll('{} text.label')].map((node) => node.textContent)"
    assert browser.evaluate(labels.format(loss)) == ["updates", "nats per token"], browser.evaluate(labels.format(loss))
    assert browser.evaluate(labels.format('figure[data-figure="BLEU"]')) == ["updates", "BLEU"]

    # The top shows the state of the runs and their best validations, which are also marked in the charts.
    assert text("#runs tbody tr").count("finished") == 1, text("#runs tbody tr")
    step = browser.evaluate("data.runs[0].progress.best.step")
    assert f"step {step} (perplexity)" in text("#runs tbody tr"), text("#runs tbody tr")
    assert text('figure[data-figure="perplexity"] text.best') == f"best: step {step}"
    assert count(loss + "circle.best") == 2

    # Its label covers neither lines nor other labels.
    def check_labels():
        covered = browser.evaluate("""charts.flatMap((chart) => {
            const labels = [...chart.drawing.querySelectorAll("text.best")].map((text) => text.getBBox());
            const inside = ({ x, y }, box) => x > box.x && x < box.x + box.width && y > box.y + 2 && y < box.y + box.height - 2;
            const corners = ({ x, y, width, height }) => [0, 0.5, 1].flatMap((a) => [0.2, 0.8].map((b) => ({ x: x + a * width, y: y + b * height })));
            const points = [...chart.drawing.querySelectorAll(".line:not(.faint)")].flatMap((line) =>
                Array.from({ length: Math.ceil(line.getTotalLength()) }, (_, i) => line.getPointAtLength(i)));
            return labels.filter((box, i) => points.some((point) => inside(point, box)) ||
                labels.some((other, j) => i !== j && corners(other).some((point) => inside(point, box)))).map(() => chart.title);
        })""")
        assert not covered, covered
        assert browser.evaluate("document.querySelectorAll('text.best').length") > 0

    check_labels()

    # Training is solid, validation dashed. No line touches the frame, and every axis has four to six ticks.
    dashes = "[...document.querySelectorAll('figure[data-figure=\"loss\"] .line')].map((line) => getComputedStyle(line).strokeDasharray)"
    assert [dash == "none" for dash in browser.evaluate(dashes)] == [True, False] * 2, browser.evaluate(dashes)

    def check_charts():
        for name, ticks, inside in browser.evaluate("""charts.map((chart) => {
            const frame = chart.drawing.querySelector(".frame").getBoundingClientRect();
            return [chart.title, ["across", "up"].map((way) => chart.drawing.querySelectorAll("text." + way).length),
                [...chart.drawing.querySelectorAll(".line")].every((line) => {
                    const box = line.getBoundingClientRect();
                    return box.left > frame.left + 2 && box.right < frame.right - 2 &&
                        box.top > frame.top + 2 && box.bottom < frame.bottom - 2;
                })];
        })"""):
            assert inside, f"{name} touches its frame"
            assert all(4 <= n <= 6 for n in ticks), (name, ticks)

    check_charts()
    browser.click('figure[data-figure="absurd"] [data-action=log]')
    check_charts()
    wrong = browser.evaluate("""(() => {
        const wrong = [];
        for (let i = 0, least = 0, most = 7; i < 500; ++i) {
            most = least + 6 + i * i * (i % 7 + 1) ** 3 * 0.37;
            for (const [kind, ticks] of [["plain", linearTicks(least, most)], ["small", linearTicks(least * 1e-9, most * 1e-9)],
                    ["time", linearTicks(least, most, { isTime: true })], ["whole", linearTicks(least, most, { isWhole: true })],
                    ["logarithmic", logarithmicTicks(least + 1, (least + 1) * (2 + i / 100) ** (1 + i % 9))]]) {
                if (ticks.length < 4 || ticks.length > 6 || kind === "whole" && !ticks.every(Number.isInteger)) wrong.push([kind, least, most, ticks]);
            }
            least = most * (i % 3) / 3;
        }
        return wrong;
    })()""")
    assert not wrong, wrong
    assert browser.evaluate("[[1234500, 100], [0.00025, 0.00005], [1500, 500], [0, 1], [-2.5, 0.5]].map(([at, step]) => tickText(at, step))") == [
        "1.2345M", "2.5e-4", "1.5k", "0", "-2.5"]

    # The axis can be chosen.
    browser.click('[data-axis="epochs"]')
    check_charts()
    assert "0" in browser.evaluate(ticks) or "1" in browser.evaluate(ticks), browser.evaluate(ticks)
    browser.click('[data-axis="tokens"]')
    check_charts()
    assert "100" not in browser.evaluate(ticks), browser.evaluate(ticks)
    browser.click('[data-axis="seconds"]')
    assert any(tick.endswith(" s") for tick in browser.evaluate(ticks)), browser.evaluate(ticks)
    assert browser.evaluate(labels.format(loss))[0] == "time"
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

    # Values under the mouse are shown, and marked in every chart.
    browser.hover(loss + "svg", 0.5)
    assert "run, training: " in text(loss + ".tip"), text(loss + ".tip")
    assert "<b>slow, validation: " in text(loss + ".tip")
    # These are values of measured steps: lines every 2 updates, validations every 15.
    step = browser.evaluate("Number(document.querySelector('figure .tip .muted').textContent.match(/updates: (\\d+)/)[1])")
    assert step % 2 == 0, step
    left, top, width, height = browser.box(loss + "svg")
    at, offset = browser.evaluate(f"(() => {{ const chart = charts[0]; return [chart.pixelAt({step}), chart.pixelAt({step} + 0.9)]; }})()")
    for pixel in (at, offset):
        browser.mouse("mouseMoved", left + pixel, top + height / 2)
        assert text(loss + ".tip").startswith(f"updates: {step}run, training: "), (step, text(loss + ".tip"))
        cursor = browser.evaluate("[...document.querySelectorAll('.cursor')].map((line) => Number(line.getAttribute('x1')))")
        assert all(abs(x - at) < 0.01 for x in cursor), (cursor, at)
    validated = round(step / 15) * 15
    assert (f" at {validated}" in text(loss + ".tip")) == (validated != step), text(loss + ".tip")
    value = browser.evaluate("(() => { const { step, value } = data.runs[0].series.valid.bleu; return value[step.indexOf(60)]; })()")
    bleu = 'figure[data-figure="BLEU"] '
    left, top, width, height = browser.box(bleu + "svg")
    browser.mouse("mouseMoved", left + browser.evaluate("charts.find(({ title }) => title === 'BLEU').pixelAt(63)"), top + height / 2)
    assert text(bleu + ".tip").startswith(f"updates: 60run, validation: {value:.2f}"), (value, text(bleu + ".tip"))
    assert count(".cursor") == count("figure"), count(".cursor")
    browser.mouse("mouseMoved", 5, 5)
    assert browser.evaluate(f"document.querySelector('{loss} .tip').hidden")
    assert count(".cursor") == 0

    # Values are also shown while a range is selected, which stays visible.
    left, top, width, height = browser.box(loss + "svg")
    told = []
    for begin, end in ((0.25, 0.75), (0.8, 0.3), (0.2, 0.95)):
        browser.mouse("mouseMoved", left + begin * width, top + height / 2)
        browser.mouse("mousePressed", left + begin * width, top + height / 2, button="left", clickCount=1)
        for part in (0.9, 1):
            browser.mouse("mouseMoved", left + (begin + part * (end - begin)) * width, top + height / 2, button="left", buttons=1)
            told.append(text(loss + ".tip"))
        assert " – " in told[-1], told
        apart = browser.evaluate(f"""(() => {{
            const [tip, selection] = ["{'.tip'}", ".selection"].map((name) => document.querySelector('{loss}' + name).getBoundingClientRect());
            return tip.width > 0 && selection.width > 50 &&
                (tip.left >= selection.right || tip.right <= selection.left || tip.top >= selection.bottom);
        }})()""")
        assert apart, (begin, end)
        browser.mouse("mouseReleased", left + begin * width, top + height / 2, button="left", clickCount=1)
    assert len(set(told)) == 6, told
    assert window() is None

    # Scales and runs can be switched, also by keyboard.
    line = f"document.querySelector('{loss} .line').getAttribute('d')"
    before = browser.evaluate(line)
    browser.click(loss + "button")
    assert browser.evaluate(line) != before
    assert browser.evaluate(f"document.querySelector('{loss} button').ariaPressed") == "true"
    browser.evaluate(f"document.querySelector('{loss} button').focus()")
    browser.press(" ")
    assert browser.evaluate(line) == before
    browser.evaluate(f"document.querySelector('{loss} [data-action=CSV]').focus()")
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.tagName") == "svg"
    browser.click("#runs input")
    assert count(loss + "g > .line") == 2
    browser.click("#runs input")
    assert count(loss + "g > .line") == 4

    # Training can be smoothed, and its points stay visible.
    def smooth(weight):
        browser.evaluate(f"""(() => {{
            const range = document.getElementById("smoothing");
            range.value = {weight};
            range.dispatchEvent(new Event("input"));
        }})()""")

    assert browser.evaluate("smoothed([1, 1, 5], 0.5)") == [1, 1, (0.25 * 1 + 0.5 * 5 + 0.125) / 0.875]
    smooth(0.9)
    assert count(loss + ".faint") == 2
    assert browser.evaluate(line) == before, "a faint one is not what was"
    assert browser.evaluate(line.replace(".line", ".line:not(.faint)")) != before

    # Charts can be enlarged and saved.
    browser.click(loss + "[data-action=enlarge]")
    assert browser.box(loss + "svg")[2] > 1200, browser.box(loss + "svg")
    check_charts()
    browser.click(loss + "[data-action=PNG]")
    browser.click(loss + "[data-action=CSV]")
    for name in ("loss.png", "loss.csv"):
        end = time.monotonic() + 20
        while not pathlib.Path("saved", name).exists():
            assert time.monotonic() < end, f"{name} is not saved"
            time.sleep(0.05)
    rows = pathlib.Path("saved/loss.csv").read_text().splitlines()
    assert rows[0] == "run,event,step,target_tokens,seconds,epochs,loss", rows[0]
    assert rows[1].startswith("run,train,2,") and sum(row.startswith("<b>slow,valid,") for row in rows) == 8, rows
    picture = pathlib.Path("saved/loss.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and int.from_bytes(picture[16:20], "big") > 2400, len(picture)
    assert browser.evaluate("""csvText([["=1+1", 'a"b', "-x", -1]])""") == """'=1+1,"a""b",'-x,-1\r\n"""

    # The address contains all choices.
    browser.click("#runs input")
    browser.drag(loss + "svg", 0.4, 0.7)
    zoom = window()
    browser.wait("location.hash.includes('zoom') && location.hash.includes('hide')")
    address = browser.evaluate("location.href")
    browser.open("about:blank")
    browser.open(address)
    assert abs(window()[0] - zoom[0]) < 0.01, (window(), zoom)
    assert browser.evaluate("view.smoothing") == 0.9
    assert count(loss + "g > .line") == 3 and count("figure.large") == 1
    browser.evaluate("location.hash = '#over=constructor&zoom=b,1&smoothing=9&line=x&large=%3Cb%3E&against=__proto__&hide=%3Cb%3E'")
    browser.wait("view.zoom === null && document.querySelectorAll('.faint').length === 0")
    assert count(loss + "g > .line") == 4 and browser.evaluate("view.axis") == "step"
    browser.evaluate("location.hash = ''")
    browser.wait("view.open === null")

    # Translations show the reference, steps and new words; settings show differences or everything.
    assert count("#translations details") == 3
    assert count("#translations details[open]") == 1
    browser.click("#translations details:nth-child(2) summary")
    assert count("#translations details[open] mark") > 0
    assert "reference" in text("#translations details:nth-child(2)")
    browser.click('[data-against="reference"]')
    assert count("#translations del") > 0

    # All lines of the last validation can be searched, and show how they differ from the reference.
    def search(wanted):
        browser.evaluate(f"""(() => {{
            document.getElementById("search").value = {wanted!r};
            document.getElementById("search").dispatchEvent(new Event("input"));
        }})()""")

    assert text("#searched") == "in 50 lines", text("#searched")
    search("17")
    assert "line 17:" in text("#translations summary") and count("#translations details") == 1, text("#translations")
    search(sources[7])
    assert "line 8:" in text("#translations summary"), text("#translations")
    search("onerror")
    assert count("#translations details") == 1 and count("#translations img") == 0
    search("nowhere")
    assert text("#translations") == "found 0 lines", text("#translations")
    search("")
    assert count("#translations details") == 3

    names = "[...document.querySelectorAll('#settings th:first-child')].map((node) => node.textContent)"
    assert {"warmup", "seed", "constructor"} <= set(browser.evaluate(names)), browser.evaluate(names)
    folded = names.replace("#settings", "#usual")
    assert "d-model" not in browser.evaluate(names)
    assert browser.evaluate("document.querySelector('#usual').hidden"), "there is only what differs"
    browser.click("#every")
    # Settings that differ from the preset are listed, and the others are folded.
    assert {"source", "batch-tokens"} <= set(browser.evaluate(names)), browser.evaluate(names)
    assert {"label-smoothing", "adam-beta1"} <= set(browser.evaluate(folded)), browser.evaluate(folded)
    assert not set(browser.evaluate(names)[1:]) & set(browser.evaluate(folded)[1:])
    assert not browser.evaluate("document.querySelector('#usual').open")
    assert text("#usual summary") == f"{len(browser.evaluate(folded)) - 1} settings as the preset has them", text("#usual summary")

    # It fits narrow windows, with all scores visible.
    browser.resize(380, 800)
    browser.wait("document.documentElement.scrollWidth <= 380 && charts[0].total < 380")
    check_charts()
    check_labels()
    assert browser.evaluate("""[...document.querySelectorAll("#runs td")].every((cell) => {
        const { left, right, height } = cell.getBoundingClientRect();
        return left >= 0 && right <= 380 && height > 0;
    })""")
    browser.resize(1400, 860)
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

# For a single run, training and validation have different colors, which the legend explains.
nmt report run -o alone.html
browse <<'EOF2'
from browser import Browser

with Browser() as browser:
    browser.open("alone.html")
    colors = {where: browser.evaluate(f"[...document.querySelectorAll('{where} .line')].map((line) => getComputedStyle(line).stroke)")
               for where in ("figure[data-figure=\"loss\"]", "#key")}
    training, validation = colors["#key"]
    assert training != validation, colors
    assert all(shown == [training, validation] for shown in colors.values()), colors
    for figure in "BLEU", "perplexity":
        ring = f"getComputedStyle(document.querySelector('figure[data-figure=\"{figure}\"] circle.best')).stroke"
        assert browser.evaluate(ring) == validation, figure
    browser.expect_no_complaints()
EOF2

# A run that ended at another limit than its planned length says which.
sed 's/^stop_after: .*/stop_after: 0.0001m/; s/^steps: .*/steps: 5000/' run/config.yml >config.yml
mkdir ended
cp -r run/metrics.jsonl run/state ended
mv config.yml ended
nmt report ended run -o ended.html
browse <<'EOF2'
from browser import Browser

with Browser() as browser:
    browser.open("ended.html")
    states = browser.evaluate("[...document.querySelectorAll('#runs td:nth-child(2)')].map((node) => node.firstChild.firstChild.data)")
    assert states == ["stopped by --stop-after", "finished"], states
EOF2

# A served page follows the run and keeps the reader's choices. A run counts as training while a process holds its lock.
: >log
sed -i 's/^steps: 120$/steps: 250/' run/config.yml
"$NMT" report run --watch --port 0 2>log &
until grep -q "look at " log; do kill -0 $! && sleep 0.05; done
browse "$(sed 's/.*\(http:[^ ]*\).*/\1/' log)" <<'EOF2'
import fcntl
import sys
from browser import Browser

with Browser() as browser:
    address = sys.argv[1]
    browser.open(address)
    state = "document.querySelector('#runs td').textContent"
    assert browser.evaluate(state).startswith("stopped, 48 %"), browser.evaluate(state)
    lock = open("run/state/lock")
    fcntl.flock(lock, fcntl.LOCK_EX)
    browser.drag("figure svg", 0.1, 0.4)
    zoom = browser.evaluate("view.zoom")
    with open("run/metrics.jsonl", "a") as metrics:
        metrics.write('{"event":"train","step":125,"loss":0.125,"target_tokens":99999,"seconds":99}\n')
    browser.wait("document.querySelector('#runs').textContent.includes('125')")
    assert browser.evaluate(state).startswith("training, 50 %"), browser.evaluate(state)
    assert "about 1 min" in browser.evaluate("document.querySelector('#runs [data-label=\"time left\"]').textContent")
    assert browser.evaluate("view.zoom") == zoom
    browser.expect_no_complaints()
    browser.expect_requests_only_to(address)
    browser.expect_that_nothing_can_leave()
EOF2
kill -INT %1
exits 130 wait %1
