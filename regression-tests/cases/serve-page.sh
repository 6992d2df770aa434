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

    # What is typed is translated, and of what is typed on only what is new is asked for.
    type_text(source[0])
    expect(expected[0])
    type_text(f"{source[0]}\n\n{source[1]}")
    expect(f"{expected[0]}\n\n{expected[1]}")
    asked = [url for url in browser.requests if url.endswith("/v1/translate")]
    assert len(asked) == 2, asked
    assert texts("#count") == [f"{len(source[0]) + len(source[1]) + 2} of 2,000 characters"], texts("#count")
    assert "nmt translate -m en-de" in texts("#commands")[0] and "curl" in texts("#commands")[0]

    # Sentences are shown as they come, and what there is of the one that is under way; in the end, they can be pointed at.
    browser.evaluate("(() => { window.events = []; const real = ask; ask = (request, signal, grown) =>"
                     " real(request, signal, grown && ((name, told) => { window.events.push(name); grown(name, told); })); })()")
    type_text("\n".join(source[6:10]))
    expect("\n".join(expected[6:10]))
    assert browser.evaluate("window.events.filter((name) => name === 'sentence').length") == 4
    browser.evaluate("(() => { known.delete(keyOf(parts[2].source)); known.delete(keyOf(parts[3].source));"
                     " show(input.value, parts, new Map([[parts[2].source, { text: 'so far' }]])); })()")
    assert output() == "\n".join([*expected[6:8], "so far", ""]), output()
    assert len(texts(".word")) == len(" ".join(expected[6:8]).split(" ")), texts(".word")
    type_text(f"{source[0]}\n\n{source[1]}")
    expect(f"{expected[0]}\n\n{expected[1]}")

    # A word that is pointed at shades source words; arrow keys go from word to word.
    assert texts(".word") == f"{expected[0]} {expected[1]}".split(" "), texts(".word")
    browser.hover(".word:nth-of-type(2)")
    browser.wait("document.querySelectorAll('#backdrop mark').length > 0")
    assert all(mark in source[0].split(" ") for mark in texts("#backdrop mark")), texts("#backdrop mark")
    browser.evaluate("document.querySelector('.word').focus()")
    browser.press("ArrowRight")
    assert browser.evaluate("document.activeElement.textContent") == expected[0].split(" ")[1]

    # Others for a word: what is chosen stands in its place, and what was before it stays.
    browser.press("Enter")
    browser.wait("document.querySelector('#menu button') !== null")
    chosen = browser.evaluate("document.querySelector('#menu button').firstChild.data")
    before = output().split(" ")
    assert chosen != before[1]
    browser.click("#menu button")
    browser.wait("document.querySelector('#menu') === null")
    browser.wait(f"document.querySelector('#output').textContent.split(' ')[1] === {json.dumps(chosen)}")
    assert output().split(" ")[0] == before[0] and output().endswith(expected[1]), output()
    browser.wait("document.activeElement.classList.contains('word')")
    browser.press("Enter")
    browser.wait("document.querySelector('#menu') !== null")
    browser.press("Escape")
    assert browser.evaluate("document.querySelector('#menu')") is None

    # Words that a sentence must contain; without them it is what it was.
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
    # A word that is chosen then keeps them, and they keep the word.
    browser.evaluate("[...document.querySelectorAll('.word')].find(({ place }) => place.part === parts[1] && place.word === 1)"
                     ".focus()")
    browser.press("Enter")
    browser.wait("document.querySelector('#menu button') !== null")
    chosen = browser.evaluate("document.querySelector('#menu button').firstChild.data")
    browser.click("#menu button")
    browser.wait(f"parts[1].result.words[1] === {json.dumps(chosen)}")
    assert all(word in output().split("\n\n")[1].split(" ") for word in words), output()
    must_contain(words[0])
    second = output().split("\n\n")[1].split(" ")
    assert second[1] == chosen and words[0] in second, output()
    must_contain(" ")
    assert output().split("\n\n")[1].split(" ")[1] == chosen, output()
    type_text(source[0])
    expect(first)

    # Languages, and back.
    assert texts("#source option") == ["English", "German"], texts("#source option")
    assert texts("#target option") == ["German", "French"], texts("#target option")
    type_text(source[2])
    expect(expected[2])
    browser.click("#swap")
    browser.wait(f"document.querySelector('#text').value === {json.dumps(expected[2])}")
    assert browser.evaluate("document.querySelector('#source').value") == "de"
    assert texts("#target option") == ["English"]
    browser.click("#clear")
    expect("")

    # Errors are told: a setting that is none, too much text, nobody there.
    browser.click("summary")
    type_text(source[3])
    browser.evaluate("(() => { const beam = document.querySelector('#beam'); beam.value = '5000';"
                     " beam.dispatchEvent(new Event('input')); })()")
    browser.wait("document.querySelector('#status.error')?.textContent.includes('beam')")
    browser.complaints.clear()  # the browser tells of the status 400
    browser.evaluate("(() => { const beam = document.querySelector('#beam'); beam.value = '';"
                     " beam.dispatchEvent(new Event('input')); })()")
    expect(expected[3])
    type_text("a" * 2001)
    browser.wait("document.querySelector('#status.error')?.textContent === 'The text is too long.'")
    browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    type_text(source[4])
    browser.wait("document.querySelector('#status.error')?.textContent === 'The server cannot be reached.'")
    browser.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    browser.complaints.clear()
    type_text(source[5])
    expect(expected[5])

    # On a phone the panes are below each other, and nothing is cut.
    for theme in ("light", "dark"):
        browser.theme(theme)
        browser.resize(420, 800)
        left = browser.evaluate("[...document.querySelectorAll('.pane')].map((pane) => pane.getBoundingClientRect().left)")
        assert left[0] == left[1], left
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
        browser.resize(1200, 900)
        left = browser.evaluate("[...document.querySelectorAll('.pane')].map((pane) => pane.getBoundingClientRect().left)")
        assert left[0] < left[1], left

    # Text of others stays text.
    type_text("<img src=x onerror='window.injected=true'>")
    browser.wait("parts[0]?.source.startsWith('<img')")
    assert browser.evaluate("window.injected") is None
    browser.expect_no_complaints()
    browser.expect_requests_only_to(address)
    browser.expect_that_nothing_can_leave()
EOF2
kill -TERM $server
exits 0 wait $server
