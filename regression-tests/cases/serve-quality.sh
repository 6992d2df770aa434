#!/usr/bin/env bash
# nmt serve estimates the quality of translations with a COMET model, for requests and on its page.
. "$(dirname "$0")/../lib.sh"
models=${NMT_REFERENCE_DATA:-}/foreign/comet
[[ -d $models ]] || skip "NMT_REFERENCE_DATA names no folder with foreign/comet"
command -v python3 >/dev/null || skip "python3 is not installed"
make_model
nmt convert "$models/kiwi" -o kiwi.safetensors --quiet
cp kiwi.safetensors served.safetensors
start_server "$NMT" serve -m en-de=model.safetensors --quality-model served.safetensors --cache 100

# The estimates are those of nmt bleu, also from the cache.
python3 - "$url" test.src <<'PYTHON'
import json, sys, urllib.request
url, file = sys.argv[1:]
texts = open(file).read().splitlines()[:5]
def ask(**more):
    body = json.dumps({"text": texts, "split": False, **more}).encode()
    return json.load(urllib.request.urlopen(urllib.request.Request(f"{url}/v1/translate", body)))["translations"]
plain = ask()
assert not any("quality" in each for each in plain), plain
judged = ask(quality=True)
assert judged == ask(quality=True)
for text, before, after in zip(texts, plain, judged):
    [sentence] = after.pop("sentences")
    assert sentence == {"source": text, "text": after["text"], "quality": after.pop("quality")}, sentence
    assert after == before, (after, before)
    print(sentence["quality"], sentence["text"], sep="\t", file=open("judged", "a"))
PYTHON
head -n 5 test.src >source
cut -f 2 judged >translations
nmt bleu --comet kiwi.safetensors --source source -i translations --sentence-level --score-only -w 6 --quiet >expected
paste judged expected | awk -F '\t' '{ d = $1 - $3; if (d > 2e-6 || d < -2e-6) exit 1 }' || fail "not the estimates of nmt bleu: $(paste judged expected)"

curl -sS "$url/v1/models" | contains -q '"quality":true' || fail "the server does not say that it judges"
contains -q 'the quality model is ready: served.safetensors was opened in ' <log || fail "no time of opening: $(<log)"

# A new model replaces the old one; one that cannot be opened does not.
await() { for _ in $(seq 600); do grep -q "$1" log && return; sleep 0.05; done; fail "the log has no '$1': $(<log)"; }
head -c 1000 kiwi.safetensors >broken && mv broken served.safetensors
kill -HUP $server
await 'the quality model stays as it was'
curl -sS "$url/v1/translate" -d '{"text": "ba", "quality": true}' | contains -q '"quality":' || fail "no estimate after a failed reload"
cp kiwi.safetensors new && mv new served.safetensors
: >log
kill -HUP $server
await 'the quality model is ready'
curl -sS "$url/v1/translate" -d '{"text": "ba", "quality": true}' | contains -q '"quality":' || fail "no estimate after a reload"
kill -TERM $server
exits 0 wait $server

# Models that cannot serve for this.
for model in "$models/comet-da" model.safetensors; do
  exits 1 nmt serve -m en-de=model.safetensors --quality-model "$model" --port 0 2>refused
  contains -q "needs references\|does not judge translations" <refused || fail "$model: $(<refused)"
  ! contains -q 'listening on' <refused || fail "the server listened: $(<refused)"
done
refuses 1 "cannot read 'missing'" nmt serve -m model.safetensors --quality-model missing --port 0
start_server "$NMT" serve -m en-de=model.safetensors
curl -sS "$url/v1/translate" -d '{"text": "ba", "quality": true}' | contains -q 'no model that judges translations' || fail "quality without a model"
kill -TERM $server
exits 0 wait $server

# On the page, a figure follows each sentence, and the lowest tenth has a flag. It is not part of the text.
. "$(dirname "$0")/../browser.sh"
nmt translate -m model.safetensors --quiet -i source >expected
start_server "$NMT" serve -m en-de=model.safetensors --quality-model kiwi.safetensors
browse "$url/" <<'PYTHON'
import json
import sys
from browser import Browser

address = sys.argv[1]
source = open("source").read().splitlines()
expected = open("expected").read().splitlines()
figures = [float(line.split("\t")[0]) for line in open("judged")]

with Browser(1200, 900) as browser:
    browser.open(address)
    browser.click("#text")
    browser.call("Input.insertText", text="\n".join(source[:2]))
    browser.wait(f"document.querySelector('#output').textContent === {json.dumps(chr(10).join(expected[:2]))}")
    browser.wait("document.querySelectorAll('#output .judged').length === 2")
    shown = browser.evaluate("[...document.querySelectorAll('.judged')].map((node) => [node.getAttribute('aria-label'), node.className,"
                             " getComputedStyle(node, '::after').content])")
    for (label, kind, content), figure in zip(shown, figures):
        assert label.startswith("estimated quality ") and abs(float(label.split(" ")[2]) - figure) < 0.006, label
        assert kind == "judged" and label.split(" ")[2] in content and "\u2691" not in content, (kind, label, content)
    # With more sentences, the lowest tenth has a flag, whatever the scale.
    flagged = browser.evaluate("(() => { for (let i = 0; i < 20; ++i) known.set(`made up ${i}`, { quality: i - 100 });"
                               " show(input.value, parts); const low = lowQuality(), part = parts[0];"
                               " const of = (quality) => judged({ ...part, result: { ...part.result, quality } }, low)[0];"
                               " return [low, of(low).className, of(low).ariaLabel.endsWith(', low'), of(low + 1).className]; })()")
    assert flagged == [-99, "judged low", True, "judged"], flagged
    assert browser.evaluate("document.querySelectorAll('#output .judged .word').length") > 2
    assert "an estimate of its quality" in browser.evaluate("document.querySelector('#settings').textContent")
    browser.expect_no_complaints()
    browser.expect_requests_only_to(address)
PYTHON
kill -TERM $server
exits 0 wait $server
