#!/usr/bin/env bash
# The page of nmt serve in a real browser: glossaries, documents, the history, keys, and whether everybody can use it.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../browser.sh"
make_model
nmt translate -m model.safetensors --quiet <test.src >expected
cat >page.py <<'EOF2'
"""What both browsers below do."""
import json
import pathlib
import sys
import time
import xml.etree.ElementTree
import zipfile
import accessibility
from browser import CTRL, SHIFT, Browser

address = sys.argv[1]
source = open("test.src").read().splitlines()
expected = open("expected").read().splitlines()


class Reader(Browser):
    def texts(self, selector):
        return self.evaluate(f"[...document.querySelectorAll('{selector}')].map((node) => node.textContent)")

    def focus(self):
        return self.evaluate("document.activeElement.id || document.activeElement.ariaLabel || document.activeElement.textContent")

    def type(self, text):
        """Replaces what the field with the focus has."""
        self.evaluate("document.activeElement.select()")
        self.call("Input.insertText", text=text)

    def translate(self, text):
        self.click("#text")
        self.type(text)

    def expect(self, text):
        self.wait(f"document.querySelector('#output').textContent === {json.dumps(text)}")

    def expect_text_in(self, selector, text):
        self.wait(f"document.querySelector('{selector}')?.textContent === {json.dumps(text)}")

    def select(self, selector, index):
        self.evaluate(f"(() => {{ const node = document.querySelector('{selector}'); node.selectedIndex = {index};"
                      " node.dispatchEvent(new Event('change')); })()")

    def saved(self, name):
        """The file that the page saves, once it is there."""
        file = pathlib.Path("saved", name)
        until = time.monotonic() + 20
        while not file.exists() and time.monotonic() < until:
            time.sleep(0.05)
        return file

    def kept(self):
        return self.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml"
ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
LINKS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"
Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"""


def make_document(name, paragraphs):
    """A document of Word."""
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", LINKS)
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>')


def document_text(file):
    """The paragraphs of a document of Word."""
    body = xml.etree.ElementTree.fromstring(zipfile.ZipFile(file).read("word/document.xml"))
    return ["".join(paragraph.itertext()) for paragraph in body.iter(f"{{{WORD}}}p")]


# A word of the first text, and a word that its translation does not have.
term = source[0].split(" ")[0]
target = next(word for word in " ".join(expected).split(" ") if word not in expected[0])
EOF2

# Glossaries that the server stores for a key.
printf %s secret | sha256sum >keys
start_server "$NMT" serve -m en-de=model.safetensors -m de-en=model.safetensors --glossaries glossaries --api-keys keys \
  --max-document-megabytes 1
browse "$url/" <<'EOF2'
from page import *

with Reader(1200, 900) as browser:
    browser.download_to("saved")
    browser.open(address)
    browser.click("#open_glossaries")
    assert not browser.evaluate("document.querySelector('#glossaries').open"), "it asks for glossaries without a key"
    browser.click("#key")
    browser.type("secret")
    browser.press("Tab")
    browser.translate(source[0])
    browser.expect(expected[0])

    # A glossary is made by keys alone.
    browser.press("G", CTRL | SHIFT)
    browser.wait("document.querySelector('#glossaries').open && document.querySelector('#save_glossary').disabled")
    assert browser.focus() == "edited_glossary", browser.focus()
    for key in ("Tab", "Tab", "Tab", "Tab"):
        browser.press(key)
    assert browser.focus() == "add_term", browser.focus()
    browser.press("Enter")
    assert browser.focus() == "term", browser.focus()
    browser.type(term)
    browser.press("Tab")
    browser.type(target)
    accessibility.check(browser, "an unsaved glossary")

    # What is not saved stays when the window is closed.
    browser.press("Escape")
    assert browser.texts("#open_glossaries") == ["Glossaries (not saved)\u2026"], browser.texts("#open_glossaries")
    assert browser.focus() == "text", browser.focus()
    browser.press("G", CTRL | SHIFT)
    browser.wait("document.querySelector('#glossaries').open")
    assert browser.evaluate("[...document.querySelectorAll('#terms input:not([type])')].map(({ value }) => value)") == [term, target]
    browser.evaluate("document.querySelector('#glossary_name').focus()")
    browser.type("words")
    browser.evaluate("document.querySelector('#save_glossary').focus()")
    browser.press("Enter")
    browser.expect_text_in("#glossary_status", "Saved. Translations use \u201cwords\u201d now.")
    browser.press("Escape")

    # The translation has the term, which is marked.
    browser.wait(f"document.querySelector('#output').textContent.split(' ').includes({json.dumps(target)})")
    browser.expect_text_in("#status", "Terms: 1 of 1 in the translation, underlined.")
    assert target in browser.texts(".word.term"), browser.texts(".word.term")
    assert "term of the glossary" in browser.evaluate("document.querySelector('.word.term').title")
    accessibility.check(browser, "a translation with a term")

    # After a reload the glossary is still chosen, once the key is there; the browser keeps no key.
    assert "secret" not in browser.kept()
    browser.open(address)
    browser.click("#key")
    browser.type("secret")
    browser.press("Tab")
    browser.expect_text_in("#status", "Terms: 1 of 1 in the translation, underlined.")
    assert browser.texts("#glossary option") == ["None", "words"]

    # Documents use the glossary. They are dropped, or chosen, and come back with their names.
    make_document("report.docx", source[:2])
    browser.drop("h1", "report.docx")
    browser.wait("document.querySelector('#jobs button:not([hidden])')?.textContent === 'Download'")
    browser.expect_text_in("#documents_status", "report.docx is translated.")
    browser.click("#jobs button")
    paragraphs = document_text(browser.saved("report.de.docx"))
    assert target in paragraphs[0].split(" ") and paragraphs[1] == expected[1], paragraphs
    accessibility.check(browser, "a translated document")
    browser.select("#glossary", 0)
    browser.expect(expected[0])
    make_document("long.docx", source * 200)
    pathlib.Path("picture.png").write_bytes(bytes([137, 80, 255, 0]))
    browser.choose("#files", "long.docx", "picture.png")
    browser.wait("jobs.length === 3 && jobs[2].status === 'failed' && jobs[1].status === 'translating'")
    accessibility.check(browser, "a document in translation, and one that has failed")
    assert "png" in browser.texts("#jobs li:last-child .error")[0], browser.texts("#jobs li:last-child .error")
    browser.complaints.clear()  # the browser reports the status 400

    # They are still there after a reload, until they are canceled or removed.
    browser.open(address)
    assert browser.evaluate("jobs.length") == 0
    browser.click("#key")
    browser.type("secret")
    browser.press("Tab")
    browser.wait("jobs.length === 2 && jobs[0].status === 'done' && jobs[1].progress > 0")
    assert browser.texts("#jobs .name") == ["report.docx", "long.docx"], browser.texts("#jobs .name")
    browser.evaluate("[...document.querySelectorAll('#jobs button')].find((node) => node.ariaLabel === 'Cancel long.docx').focus()")
    browser.press("Enter")
    browser.expect_text_in("#documents_status", "long.docx is canceled.")
    assert browser.focus() == "Download report.docx", browser.focus()
    names = "send('GET', 'v1/documents').then((answer) => answer.json()).then(({ documents }) => documents.map(({ name }) => name).join())"
    browser.wait(f"{names}.then((names) => names === 'report.docx')")
    assert "secret" not in browser.kept()

    # Documents that are too large, that are gone, and whose glossary needs their language; a folder.
    browser.evaluate("send('DELETE', documentPath(jobs[0]))")
    browser.click("#jobs button")
    browser.expect_text_in("#jobs .error", "The server does not have this document any more.")
    browser.complaints.clear()  # the browser reports the status 404
    pathlib.Path("large.txt").write_text("x" * (1 << 20) + "x")
    browser.choose("#files", "large.txt")
    browser.expect_text_in("#jobs li:nth-child(2) .error", "The document has 2 MB, but this server takes at most 1 MB.")
    browser.select("#glossary", 1)
    browser.select("#source", 0)
    browser.choose("#files", "report.docx")
    browser.expect_text_in("#jobs li:nth-child(3) .error", "Choose the language of the document; its glossary needs it.")
    browser.select("#source", 1)
    browser.select("#glossary", 0)
    pathlib.Path("folder").mkdir()
    browser.drop("h1", "folder")
    browser.expect_text_in("#status", "A folder cannot be dropped; drop its files.")
    for left in (2, 1, 0):
        browser.click("#jobs button:not([hidden])")
        browser.wait(f"jobs.length === {left}")
    assert browser.focus() == "choose", browser.focus()

    # Terms in files.
    pathlib.Path("terms.tsv").write_text(f"{term}\t{target}|other\n\nUS\tUSA\tcase,prefix\nkeep\t\n")
    browser.click("#open_glossaries")
    browser.wait("document.querySelector('#glossaries').open && document.querySelectorAll('#edited_glossary option').length === 2")
    browser.select("#edited_glossary", 1)
    browser.wait("document.querySelector('#glossary_name').value === 'words'")
    browser.choose("#terms_file", "terms.tsv")
    browser.expect_text_in("#glossary_status", "Imported 3 terms; save them to use them.")
    browser.expect_text_in("#terms_count", "3 terms")
    browser.click("#find_term")
    browser.type("usa")
    assert browser.texts("#terms_count") == ["1 term"]
    assert browser.evaluate("[...document.querySelectorAll('#terms [type=checkbox]')].map(({ checked }) => checked)") == [True, True]
    browser.click("#export_terms")
    exported = browser.saved("words.tsv")
    assert exported.read_text() == f"{term}\t{target}|other\nUS\tUSA\tcase,prefix\nkeep\t\n", exported.read_text()
    browser.select("#dictionary", 1)  # terms for one pair of languages
    browser.click("#add_term")
    browser.type("pair")
    browser.click("#save_glossary")
    browser.expect_text_in("#glossary_status", "Saved. Translations use \u201cwords\u201d now.")
    pathlib.Path("wrong.tsv").write_text("a\tb\nc\n")
    browser.choose("#terms_file", "wrong.tsv")
    browser.expect_text_in("#glossary_status",
                           "Line 2 is not a term: it needs a term, a tab and a translation. Nothing is imported.")
    pathlib.Path("wrong.tsv").write_text("a\tb\tcase\nc\td\tstem\n")
    browser.choose("#terms_file", "wrong.tsv")
    browser.expect_text_in("#glossary_status", "Line 2 has the unknown flag \u201cstem\u201d; flags are case and prefix. Nothing is imported.")
    browser.click("#add_term")
    browser.type("pair")
    browser.click("#save_glossary")
    browser.wait("document.querySelector('#glossary_status.error')?.textContent.includes('pair')")  # twice
    browser.complaints.clear()  # the browser reports the status 400
    browser.click("#terms button")
    assert browser.focus().startswith("remove"), browser.focus()
    browser.click("#save_glossary")
    browser.expect_text_in("#glossary_status", "Saved. Translations use \u201cwords\u201d now.")

    # It is deleted after a question.
    browser.click("#delete_glossary")
    browser.expect_text_in("#glossary_status", "Deleted.")
    assert browser.questions == ["Delete the glossary \u201cwords\u201d?"], browser.questions
    browser.press("Escape")
    browser.expect(expected[0])
    assert browser.texts("#glossary option") == ["None"] and "secret" not in browser.kept()
    browser.expect_no_complaints()
EOF2
kill -TERM $server
exits 0 wait $server

# Glossaries that the browser keeps, and the history.
start_server "$NMT" serve -m en-de=model.safetensors -m de-en=model.safetensors --max-document-megabytes 0
browse "$url/" <<'EOF2'
from page import *

with Reader(1200, 900) as browser:
    browser.open(address)
    accessibility.check(browser, "the empty page")
    assert browser.evaluate("document.querySelector('#documents')") is None, "this server translates no documents"
    browser.translate(source[0])
    browser.expect(expected[0])
    browser.click("#open_glossaries")
    browser.wait("document.querySelector('#glossaries').open && document.querySelector('#save_glossary').disabled")
    browser.click("#add_term")
    browser.type(term)
    browser.press("Tab")
    browser.type(target)
    browser.click("#save_glossary")
    browser.expect_text_in("#glossary_status", "Saved. Translations use \u201cGlossary\u201d now.")
    browser.press("Escape")
    browser.expect_text_in("#status", "Terms: 1 of 1 in the translation, underlined.")
    browser.open(address)
    browser.expect_text_in("#status", "Terms: 1 of 1 in the translation, underlined.")
    assert [url for url in browser.requests if "glossaries" in url] == []
    browser.select("#glossary", 0)
    browser.expect(expected[0])

    # The history has the last version of each text, newest first.
    history = "JSON.parse(localStorage['nmt-history']).map(({ text }) => text)"
    browser.translate(source[1])
    browser.wait(f"{history}.length === 2")
    browser.translate(f"{source[1]} {source[2]}")
    browser.wait(f"{history}[0] === {json.dumps(f'{source[1]} {source[2]}')}")
    assert browser.evaluate(history) == [f"{source[1]} {source[2]}", source[0]], browser.evaluate(history)
    browser.press("S", CTRL | SHIFT)
    browser.wait(f"{history}.length === 3")
    browser.press("H", CTRL | SHIFT)
    assert browser.evaluate("document.querySelector('#history').open")
    accessibility.check(browser, "the history")
    browser.click("#past li:last-child .entry")
    browser.wait("document.querySelector('#output').textContent !== '' && !document.querySelector('#output').ariaBusy")
    assert browser.evaluate("[document.querySelector('#text').value, document.querySelector('#source').value]") == [source[0], "en"]
    browser.wait(f"{history}[0] === {json.dumps(source[0])}")
    browser.click("#open_history")
    browser.click("#past li:last-child button:last-child")
    assert browser.evaluate(f"{history}.length") == 2 and browser.focus().startswith("delete"), browser.focus()
    browser.click("#keep_history")
    browser.press("Escape")
    browser.translate(source[4])
    browser.expect(expected[4])
    assert source[4] not in browser.evaluate(history)
    browser.click("#open_history")
    browser.click("#clear_history")
    browser.expect_text_in("#history_status", "The history is empty.")
    assert browser.evaluate(history) == [] and browser.questions == ["Delete all texts of the history?"]
    browser.click("#keep_history")
    browser.press("Escape")
    browser.evaluate("remember({ source: 'en', target: 'de', text: 'x'.repeat(400000), translation: 'y'.repeat(99000) })")
    browser.evaluate("remember({ source: 'en', target: 'de', text: 'z'.repeat(2000), translation: '' })")
    assert browser.evaluate(f"{history}.map((text) => text[0])") == ["z"], "its size is limited"
    browser.evaluate("[...Array(120).keys()].forEach((i) => remember({ source: 'en', target: 'de', text: `${i} text`, translation: '' }))")
    assert browser.evaluate(f"{history}.length") == 100

    # A browser that has room for 2,000 characters, and then for none.
    browser.evaluate("""{
      const set = Storage.prototype.setItem;
      window.room = 2000;
      Storage.prototype.setItem = function (name, value) {
        if (value.length > room) throw new Error("full");
        set.call(this, name, value);
      };
    }""")
    browser.evaluate("remember({ source: 'en', target: 'de', text: 'new', translation: '' })")
    assert browser.evaluate(f"{history}[0]") == "new" and 0 < browser.evaluate(f"{history}.length") < 100
    browser.evaluate("room = 0, remember({ source: 'en', target: 'de', text: 'lost', translation: '' }), openHistory()")
    browser.expect_text_in("#history_status", "The browser has no room for the last text, or does not let this page keep it.")
    browser.evaluate("room = Infinity")
    browser.press("Escape")

    # Files that are dropped: text, and what is not text.
    pathlib.Path("text.txt").write_text(source[5])
    pathlib.Path("picture.png").write_bytes(bytes([137, 80, 255, 0]))
    browser.drop("h1", "text.txt")
    browser.wait(f"document.querySelector('#text').value === {json.dumps(source[5])}")
    browser.drop("h1", "picture.png")
    browser.expect_text_in("#status", "picture.png is not text in UTF-8.")

    # In both themes and on a phone: everything can be read, and is reached by keys.
    browser.click("#settings summary")
    browser.click("#keys summary")
    assert "Ctrl+Shift+Hopen the history" in "".join(browser.texts("#shortcuts"))
    for theme in ("light", "dark"):
        browser.theme(theme)
        for width, height in ((1200, 900), (320, 640)):
            browser.resize(width, height)
            accessibility.check(browser, f"{theme}, {width} pixels wide")
        browser.evaluate("document.querySelector('.word').focus()")
        browser.press("Enter")
        browser.wait("document.querySelector('#menu') !== null")
        accessibility.check(browser, f"the menu of a word, {theme}")
        browser.click("#open_glossaries")
        browser.wait("document.querySelector('#glossaries').open")
        accessibility.check(browser, f"glossaries, {theme}, 320 pixels wide")
        browser.press("Escape")

    # The check finds faults.
    browser.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<button style=\"outline: none; color: "
                     "var(--surface)\"></button><h4 id=text>x</h4><p style=\"width: 2000px\">x</p>')")
    try:
        accessibility.check(browser, "a faulty page")
    except AssertionError as error:
        for fault in ("24 pixels", "ids occur once: text", "leave out no level", "beside the window", "needs a name", "must be visible"):
            assert fault in str(error), (fault, str(error))
    else:
        raise AssertionError("no faults are found")
    browser.expect_no_complaints()
    browser.expect_requests_only_to(address)
EOF2
kill -TERM $server
exits 0 wait $server
