#!/usr/bin/env bash
# The page of nmt serve in a real browser.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../browser.sh"
make_model
nmt translate -m model.safetensors --quiet <test.src >expected
start_server "$NMT" serve -m en-de=model.safetensors -m de-en=model.safetensors -m en-fr=model.safetensors \
  --max-characters 2000

browse "$url/" <<'EOF2'
import json
import sys
from browser import Browser

address = sys.argv[1]
source = open("test.src").read().splitlines()
expected = open("expected").read().splitlines()

with Browser(1200, 900) as browser:
    browser.open(address)

    # An empty page shows no error. The panes fill the height of the window.
    def values(expression):
        return browser.evaluate(f"(() => {{ const find = (selector) => document.querySelector(selector); return {expression}; }})()")

    def layout():
        return values("[...document.querySelectorAll('#text, #output, footer')].map((node) => { const { height, bottom } = "
                      "node.getBoundingClientRect(); return [height, bottom]; })")

    (text, _), (translation, _), (_, bottom) = layout()
    assert text > 500 and translation > 500 and 870 < bottom <= 900, layout()
    assert values("document.documentElement.scrollHeight") <= 900
    assert values("find('footer').textContent").startswith("nmt ") and values("find('footer a').href") == address + "openapi.json"
    assert values("[find('#text').dir, find('#backdrop').dir, find('#output').dir]") == ["auto"] * 3
    assert values("[find('#text').lang, find('#output').lang]") == ["en", "de"]

    def texts(selector):
        return browser.evaluate(f"[...document.querySelectorAll('{selector}')].map((node) => node.textContent)")

    def output():
        return browser.evaluate("document.querySelector('#output').textContent")

    def type_text(text):
        browser.click("#text")
        browser.evaluate("document.querySelector('#text').select()")
        browser.call("Input.insertText", text=text)

    def expect(text):
        browser.wait(f"document.querySelector('#output').textContent === {json.dumps(text)}")

    # Typed text is translated, and further typing only requests the new part.
    type_text(source[0])
    expect(expected[0])
    type_text(f"{source[0]}\n\n{source[1]}")
    expect(f"{expected[0]}\n\n{expected[1]}")
    assert texts("#status") == [""]
    asked = [url for url in browser.requests if url.endswith("/v1/translate")]
    assert len(asked) == 2, asked
    assert texts("#count") == [f"{len(source[0]) + len(source[1]) + 2} of 2,000 characters"], texts("#count")
    assert "nmt translate -m en-de" in texts("#commands")[0] and "curl" in texts("#commands")[0]

    # Sentences appear as they are finished, including the partial one in progress; then their words can be pointed at.
    browser.evaluate("(() => { window.events = []; const real = ask; ask = (request, signal, grown) =>"
                     " real(request, signal, grown && ((name, told) => { grown(name, told); if (name === 'sentence')"
                     " window.events.push(find('status').textContent); })); })()")
    type_text("\n".join(source[6:10]))
    expect("\n".join(expected[6:10]))
    assert browser.evaluate("window.events") == [f"{done} of 4 sentences" for done in range(1, 5)], browser.evaluate("window.events")
    browser.evaluate("(() => { known.delete(keyOf(parts[2].source)); known.delete(keyOf(parts[3].source));"
                     " show(input.value, parts, new Map([[parts[2].source, { text: 'so far' }]])); })()")
    assert output() == "\n".join([*expected[6:8], "so far", ""]), output()
    assert len(texts(".word")) == len(" ".join(expected[6:8]).split(" ")), texts(".word")
    # Finished text has the normal color, unfinished text a muted one.
    browser.evaluate("document.querySelector('#output').setAttribute('aria-busy', 'true')")
    colors = values("[document.body, find('.word'), find('#output > .muted')].map((node) => getComputedStyle(node).color)")
    assert colors[0] == colors[1] != colors[2], colors
    assert texts("#output > .muted") == ["so far", ""], texts("#output > .muted")
    type_text(f"{source[0]}\n\n{source[1]}")
    expect(f"{expected[0]}\n\n{expected[1]}")

    # Pointing at a word shades source words; arrow keys move between words.
    assert texts(".word") == f"{expected[0]} {expected[1]}".split(" "), texts(".word")
    assert browser.evaluate("document.querySelector('#legend').hidden")
    browser.hover(".word:nth-of-type(2)")
    browser.wait("document.querySelectorAll('#backdrop mark').length > 0")
    assert all(mark in source[0].split(" ") for mark in texts("#backdrop mark")), texts("#backdrop mark")
    assert not browser.evaluate("document.querySelector('#legend').hidden")
    browser.hover("h1")
    browser.wait("document.querySelector('#legend').hidden && !document.querySelector('#backdrop mark')")
    browser.evaluate("document.querySelector('.word').focus()")
    browser.press("ArrowRight")
    assert browser.evaluate("document.activeElement.textContent") == expected[0].split(" ")[1]

    # Alternatives for a word: the chosen one replaces it, and the words before it stay. The current word is ticked, and
    # words below 1 % are omitted.
    browser.evaluate("(() => { window.really = askAgain; askAgain = async (part) => ({ n_best: [['hardly', 0.012], ['maybe', 0.3],"
                     " ['never', 0.009]].map(([word, probability]) => ({ words: [part.result.words[0], word, 'x'],"
                     " tokens: ['a'], word_log_probabilities: [0, Math.log(probability)] })) }); })()")
    browser.press("Enter")
    browser.wait("document.querySelector('#menu button') !== null")
    now = output().split(" ")[1]
    probability = browser.evaluate("Math.exp(parts[0].result.word_log_probabilities[1])")
    assert texts("#menu button") == [f"{now}{100 * probability:.0f} %", "maybe30 %", "hardly1 %"], texts("#menu button")
    assert browser.evaluate("[...document.querySelectorAll('#menu button')].map((node) => node.ariaChecked)") == ["true", "false", "false"]
    ticks = "[...document.querySelectorAll('#menu button')].map((node) => getComputedStyle(node, '::before').content)"
    assert browser.evaluate(ticks) == ['"\u2713"', '""', '""'], browser.evaluate(ticks)
    browser.click("#menu button")
    assert browser.evaluate("document.querySelector('#menu') === null && askAgain !== really")
    assert output().split(" ")[1] == now
    browser.evaluate("askAgain = really")
    browser.evaluate("document.querySelector('.word:nth-of-type(2)').focus()")
    browser.press("Enter")
    other = "#menu button[aria-checked=false]"
    browser.wait(f"document.querySelector('{other}') !== null")
    chosen = browser.evaluate(f"document.querySelector('{other} span').textContent")
    before = output().split(" ")
    assert chosen != before[1]
    browser.click(other)
    browser.wait("document.querySelector('#menu') === null")
    browser.wait(f"document.querySelector('#output').textContent.split(' ')[1] === {json.dumps(chosen)}")
    assert output().split(" ")[0] == before[0] and output().endswith(expected[1]), output()
    browser.wait("document.activeElement.classList.contains('word')")
    browser.press("Enter")
    browser.wait("document.querySelector('#menu') !== null")
    browser.press("Escape")
    assert browser.evaluate("document.querySelector('#menu')") is None

    # Words that a sentence must contain; removing them restores the translation.
    def must_contain(phrases):
        browser.evaluate("document.querySelector('.word:last-of-type').focus()")
        browser.press("Enter")
        browser.wait("document.querySelector('#menu input') !== null")
        browser.evaluate("(() => { const input = document.querySelector('#menu input'); input.focus(); input.select(); })()")
        browser.call("Input.insertText", text=phrases)
        browser.press("Enter")
        browser.wait("document.querySelector('#menu') === null && document.activeElement.classList.contains('word')")

    words = [word for word in f"{expected[2]} {expected[3]}".split(" ") if word not in output().split(" ")][:2]
    first = output().split("\n\n")[0]
    must_contain("; ".join(words))
    assert output().startswith(f"{first}\n\n") and all(word in output().split("\n\n")[1].split(" ") for word in words), output()
    must_contain(" ")
    assert output() == f"{first}\n\n{expected[1]}", output()
    must_contain("; ".join(words))
    # A word that is chosen afterwards keeps them, and they keep the word.
    browser.evaluate("[...document.querySelectorAll('.word')].find(({ place }) => place.part === parts[1] && place.word === 1)"
                     ".focus()")
    browser.press("Enter")
    browser.wait(f"document.querySelector('{other}') !== null")
    chosen = browser.evaluate(f"document.querySelector('{other} span').textContent")
    browser.click(other)
    browser.wait(f"parts[1].result.words[1] === {json.dumps(chosen)}")
    assert all(word in output().split("\n\n")[1].split(" ") for word in words), output()
    must_contain(words[0])
    second = output().split("\n\n")[1].split(" ")
    assert second[1] == chosen and words[0] in second, output()
    must_contain(" ")
    assert output().split("\n\n")[1].split(" ")[1] == chosen, output()
    type_text(source[0])
    expect(first)

    # Changing the languages, and back.
    assert texts("#source option") == ["Detect language", "English", "German"], texts("#source option")
    assert texts("#target option") == ["German", "French"], texts("#target option")
    type_text(source[2])
    expect(expected[2])
    browser.click("#swap")
    browser.wait(f"document.querySelector('#text').value === {json.dumps(expected[2])}")
    assert browser.evaluate("document.querySelector('#source').value") == "de"
    assert texts("#target option") == ["English"]
    assert values("[find('#text').lang, find('#output').lang]") == ["de", "en"]
    browser.click("#clear")
    expect("")

    # The language of a text is detected, and a text in the target language is left unchanged.
    def choose(selector, value):
        browser.evaluate(f"(() => {{ const node = document.querySelector('{selector}'); node.value = '{value}';"
                         " node.dispatchEvent(new Event('change')); })()")

    german = "Zwei junge M\u00e4nner sitzen auf einer Bank im Park."
    choose("#source", "auto")
    assert texts("#target option") == ["German", "English", "French"], texts("#target option")
    choose("#target", "en")
    type_text(german)
    browser.wait("document.querySelector('#source option').textContent === 'German (detected)' && parts.length === 1")
    browser.wait("!document.querySelector('#output').ariaBusy")
    assert values("[find('#text').lang, find('#output').lang]") == ["de", "en"]
    assert browser.evaluate("model().name") == "de-en"
    choose("#target", "de")
    expect(german)
    assert texts("#status") == ["This text is in German already."] and texts("#commands") == [""], texts("#status")
    browser.click("#clear")
    assert texts("#source option")[0] == "Detect language", texts("#source option")
    choose("#source", "en")
    choose("#target", "de")

    # Errors are shown: an invalid setting, too much text, no server.
    browser.click("summary")
    type_text(source[3])
    browser.evaluate("(() => { const beam = document.querySelector('#beam'); beam.value = '5000';"
                     " beam.dispatchEvent(new Event('input')); })()")
    browser.wait("document.querySelector('#status.error')?.textContent.includes('beam')")
    browser.complaints.clear()  # the browser reports the status 400
    browser.evaluate("(() => { const beam = document.querySelector('#beam'); beam.value = '';"
                     " beam.dispatchEvent(new Event('input')); })()")
    expect(expected[3])
    type_text("a" * 2001)
    browser.wait("document.querySelector('#status.error')?.textContent === 'The text has 2,001 characters, but this server takes at"
                 " most 2,000.'")
    browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    type_text(source[4])
    browser.wait("document.querySelector('#status.error')?.textContent === 'The server cannot be reached.'")
    browser.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    browser.complaints.clear()
    type_text(source[5])
    expect(expected[5])

    # Both panes scroll together.
    browser.click("summary")
    browser.resize(1200, 500)
    type_text("\n\n".join(source[10:30]))
    expect("\n\n".join(expected[10:30]))
    for moved, other in (("#text", "#output"), ("#output", "#text")):
        for part in (1, 0.5, 0):
            browser.evaluate(f"(() => {{ const pane = document.querySelector('{moved}');"
                             f" pane.scrollTop = {part} * (pane.scrollHeight - pane.clientHeight); }})()")
            browser.wait(f"(() => {{ const pane = document.querySelector('{other}'), room = pane.scrollHeight - pane.clientHeight;"
                         f" return room > 100 && Math.abs(pane.scrollTop - {part} * room) < 2; }})()")

    # After reloading, the page still has its text and languages, until they are cleared. Another tab does not.
    type_text(source[2])
    choose("#target", "fr")
    expect(expected[2])
    browser.open(address)
    expect(expected[2])
    assert values("[find('#text').value, find('#source').value, find('#target').value]") == [source[2], "en", "fr"]
    assert values("document.cookie") == "" and values("Object.keys(localStorage)") == ["nmt-history"]
    choose("#target", "de")
    browser.click("#clear")
    browser.open(address)
    assert values("find('#text').value") == "" and output() == ""

    # On a phone the panes are stacked, and nothing is cut off.
    for theme in ("light", "dark"):
        browser.theme(theme)
        browser.resize(420, 800)
        left = browser.evaluate("[...document.querySelectorAll('.pane')].map((pane) => pane.getBoundingClientRect().left)")
        assert left[0] == left[1], left
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
        browser.resize(1200, 900)
        left = browser.evaluate("[...document.querySelectorAll('.pane')].map((pane) => pane.getBoundingClientRect().left)")
        assert left[0] < left[1], left

    # Hostile text stays text.
    type_text("<img src=x onerror='window.injected=true'>")
    browser.wait("parts[0]?.source.startsWith('<img')")
    assert browser.evaluate("window.injected") is None
    browser.expect_no_complaints()
    browser.expect_requests_only_to(address)
    browser.expect_that_nothing_can_leave()
EOF2
kill -TERM $server
exits 0 wait $server

# If a key is needed, its field is open and says so.
printf %s secret | sha256sum >keys
start_server "$NMT" serve -m en-de=model.safetensors --api-keys keys
browse "$url/" <<'EOF2'
import json
import sys
from browser import Browser

address = sys.argv[1]
source = open("test.src").read().splitlines()
expected = open("expected").read().splitlines()

with Browser() as browser:
    browser.open(address)
    assert browser.evaluate("document.querySelector('#settings').open && document.activeElement.id") == "key"
    assert browser.evaluate("document.querySelector('#status.error').textContent") == "This server needs a key."
    browser.click("#text")
    browser.call("Input.insertText", text=source[0])
    browser.wait("document.querySelector('#count').textContent.startsWith('" + str(len(source[0])) + " of')")
    assert not [url for url in browser.requests if url.endswith("/v1/translate")], "it asks without a key"
    browser.click("#key")
    browser.call("Input.insertText", text="secret")
    browser.wait(f"document.querySelector('#output').textContent === {json.dumps(expected[0])}")
    assert browser.evaluate("document.querySelector('#status').textContent") == ""
    browser.open(address)
    assert browser.evaluate("document.querySelector('#text').value") == source[0]
    assert browser.evaluate("document.querySelector('#key').value + JSON.stringify(sessionStorage)").find("secret") < 0
    browser.expect_no_complaints()
EOF2
kill -TERM $server
exits 0 wait $server
