#!/usr/bin/env bash
# The page of nmt bleu in a real browser.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../browser.sh"
pairs 1 130 | cut -f 1 >ref
hostile="</script><script>window.injected = true</script><img src=x onerror='window.injected = true'>"
sed "3s|.*|$hostile|" ref >with_markup && mv with_markup ref && cp ref good
sed '7s/.*/nothing of this/; 9s/$/ more/' ref >bad
nmt bleu ref -m bleu,ter -i good bad --paired-bs --page page.html --quiet >scores
nmt bleu ref -m bleu,ter -i good bad --paired-bs --quiet | cmp - scores || fail "the page changes the scores"
nmt bleu ref -i bad --sentence-level --score-only --page sentences.html >sentences
equal "$(wc -l <sentences)" 130
refuses 2 "--page .*a page of HTML" nmt bleu ref -i bad --page page.svg
cp bad copy
refuses 2 "copy" nmt bleu ref -i copy --page copy
same bad copy
refuses 1 "missing" nmt bleu ref -i bad --page missing/page.html

# A model that finds errors.
models=${NMT_REFERENCE_DATA:-}/foreign/comet
if [[ -d $models ]]; then
  python3 - "$models/xcomet/answers.json" <<'PYTHON'
import json, sys
segments = json.load(open(sys.argv[1]))["segments"]
for key in ("src", "mt", "ref"):
    open(key, "w").write("".join(s[key] + "\n" for s in segments))
PYTHON
  nmt bleu ref -m comet --comet "$models/xcomet" --source src -i mt --page errors.html --quiet >scores
fi

browse <<'EOF2'
import json
import pathlib
from browser import Browser

with Browser(1200, 800) as browser:
    def all_of(selector):
        return browser.evaluate(f"[...document.querySelectorAll('{selector}')].map((node) => node.textContent)")

    def choose(control, value):
        browser.evaluate(f"""(() => {{ const node = document.getElementById({json.dumps(control)});
            node.value = {json.dumps(value)}; node.dispatchEvent(new Event("change")); node.dispatchEvent(new Event("input")); }})()""")

    browser.open("page.html")
    assert all_of("h1") == ["Scores of 2 systems"], all_of("h1")
    assert all_of("#systems tr:nth-child(2) > *")[0] == "good", all_of("#systems tr:nth-child(2) > *")
    assert all_of("#systems .best")[0].startswith("100.0 ("), all_of("#systems .best")
    assert " p = 0." in all_of("#systems tr:nth-child(3) > *")[1], all_of("#systems tr:nth-child(3) > *")
    assert all_of("#notes p")[0].startswith("BLEU: nrefs:1|") and all_of("#notes p")[2].startswith("p (paired")
    assert len(all_of(".segment")) == 100, "a part at a time"
    browser.click("#more")
    assert len(all_of(".segment")) == 130 and browser.evaluate("document.getElementById('more').hidden")
    choose("order", "difference 0")
    assert all_of(".segment h2")[:2] == ["segment 7", "segment 9"], all_of(".segment h2")[:2]
    choose("order", "behind 0 1")
    assert all_of(".segment h2")[:2] == ["segment 7", "segment 9"], all_of(".segment h2")[:2]
    choose("order", "worst 1")
    assert all_of(".segment h2")[0] == "segment 7", all_of(".segment h2")[0]
    assert not browser.evaluate("window.injected") and "<img src=x" in "".join(all_of(".segment"))
    choose("search", "nothing of")
    assert all_of(".segment h2") == ["segment 7"] and all_of("#found") == ["1 segment"]
    choose("search", "no such text")
    assert all_of(".segment h2") == [] and all_of("#found") == ["0 segments"]

    browser.open("sentences.html")
    scores = pathlib.Path("sentences").read_text().split()
    assert all_of(".segment td.number")[:100] == scores[:100]

    if pathlib.Path("errors.html").exists():
        browser.open("errors.html")
        segments = browser.evaluate("data.segments")
        error = segments[0]["translations"][0]["errors"][0]
        text = segments[0]["translations"][0]["text"][error["begin"]:error["end"]]
        assert all_of(".segment mark")[0] == text, (all_of(".segment mark")[0], text)
        choose("severity", "major")
        wanted = [s for s in segments if any(e["severity"] == "major" for t in s["translations"] for e in t["errors"])]
        assert len(all_of(".segment")) == len(wanted) < len(segments), (len(all_of(".segment")), len(wanted))
        assert browser.evaluate("getComputedStyle(document.querySelector('mark.major')).textDecorationStyle") == "solid"
    browser.expect_no_complaints()
    browser.expect_requests_only_to("file:")
    browser.expect_that_nothing_can_leave()
EOF2
