#!/usr/bin/env bash
# Documents keep all but their texts, which are translated as lines are.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
make_model
translate() { nmt translate -m model.safetensors --quiet "$@"; }
head -n 3 test.src >lines
translate --split sentences <lines >expected

# A document of every format with three lines as paragraphs, and what becomes of it.
cat >documents.py <<'END'
import sys, zipfile

def zipped(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries:
            archive.writestr(zipfile.ZipInfo(name), text)

def write(folder, lines):
    xml = [line.replace("&", "&amp;").replace("<", "&lt;") for line in lines]
    def text(extension, contents):
        with open(f"{folder}/a.{extension}", "w", newline="") as file:
            file.write(contents)
    text("txt", "\n\n".join(lines) + "\n")
    text("md", "# {}\n\n- {}\n\n```\nla\n```\n\n| {} |\n|---|\n".format(*lines))
    text("html", "<html><title>{}</title><script>la</script><p>{}<p title=\"{}\"><pre>la</pre></html>\n".format(*xml))
    text("xml", '<article xmlns="http://docbook.org/ns/docbook">' + "".join(f"<para>{line}</para>" for line in xml) + "</article>")
    text("yml", "texts: # la\n" + "".join(f'  - "{line}"\n' for line in lines))
    cues = [f"{i}\r\n00:00:0{i},000 --> 00:00:09,000\r\n{line}\r\n\r\n" for i, line in enumerate(lines)]
    text("srt", "".join(cues))
    text("vtt", "WEBVTT\n\nNOTE la\n\n" + "".join(f"00:0{i}.000 --> 00:09.000\n{line}\n\n" for i, line in enumerate(xml)))
    run = "<w:r><w:t>{}</w:t></w:r>"
    word = "".join(f'<w:p w:rsidR="1"><w:pPr><w:jc w:val="left"/></w:pPr>{run.format(line)}</w:p>' for line in xml)
    zipped(f"{folder}/a.docx", [("[Content_Types].xml", "<Types/>"), ("word/document.xml", f'<w:document xmlns:w="w">{word}</w:document>'),
                                ("word/styles.xml", "<w:t>la</w:t>")])
    slide = "".join(f'<a:p><a:r><a:t>{line}</a:t></a:r></a:p>' for line in xml)
    zipped(f"{folder}/a.pptx", [("ppt/slides/slide1.xml", f'<p:sld xmlns:p="p" xmlns:a="a">{slide}</p:sld>')])
    strings = "".join(f"<si><t>{line}</t></si>" for line in xml)
    zipped(f"{folder}/a.xlsx", [("xl/sharedStrings.xml", f'<sst xmlns="s">{strings}</sst>')])
    paragraphs = "".join(f"<text:p>{line}</text:p>" for line in xml)
    content = f'<office:document xmlns:office="o" xmlns:text="t">{paragraphs}</office:document>'
    for extension in "odt", "odp", "ods":
        zipped(f"{folder}/a.{extension}", [("mimetype", "application/x"), ("content.xml", content), ("meta.xml", "<la/>")])
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>' + "".join(f"<p>{line}</p>" for line in xml) + "</html>"
    zipped(f"{folder}/a.epub", [("mimetype", "application/epub+zip"), ("a/one.xhtml", page)])

def parts(path):
    if not zipfile.is_zipfile(path):
        with open(path, "rb") as file:
            return file.read()
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return [(name, archive.read(name)) for name in archive.namelist()]

def same(one, other):
    if parts(one) != parts(other):
        sys.exit(f"{one}: {parts(one)}\n{other}: {parts(other)}")

if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], open(sys.argv[3]).read().splitlines())
    else:
        same(*sys.argv[2:])
END
mkdir -p in expected.dir
python3 documents.py write in lines
python3 documents.py write expected.dir expected
formats=0
for document in in/*; do
  name=${document#in/}
  translate --document "$document" -o "$name" || fail "$name"
  python3 documents.py same "$name" "expected.dir/$name" || fail "$name"
  formats=$((formats + 1))
done
((formats > 10)) || fail "only $formats formats"

# A catalog gets translations where it has none, which are marked.
{ printf 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'; printf 'msgid "%s"\nmsgstr ""\n\n' "$(head -n 1 lines)"; } >a.po
translate --document a.po -o b.po
grep -q '^#, fuzzy$' b.po || fail "$(<b.po)"
grep -qF "msgstr \"$(head -n 1 expected)\"" b.po || fail "$(<b.po)"

# From standard input to standard output.
translate --document-format docx <in/a.docx >piped.docx
cmp piped.docx a.docx || fail "piped.docx"
translate --document-format html <in/a.html | cmp - a.html || fail "html from a pipe"
translate --document-format MD <in/a.md | cmp - a.md || fail "the extension of Markdown as its format"

# A folder: sub-folders are kept, unknown files are named, and a document that cannot be read does not stop the others.
mkdir -p tree/sub
cp in/a.html tree/sub/b.HTML
cp in/a.docx tree/c.docx
echo la >tree/picture.xyz
ln -s missing tree/link.html
ln -s loop.html tree/loop.html
nmt translate -m model.safetensors --document tree -o out 2>err || fail "$(<err)"
cmp out/sub/b.HTML a.html || fail "out/sub/b.HTML"
cmp out/c.docx a.docx || fail "out/c.docx"
[[ ! -e out/picture.xyz ]] || fail "a file of an unknown format is copied"
for name in picture.xyz link.html loop.html; do
  grep -q "'tree/$name' is left out" err || fail "$(<err)"
done
head -c 300 in/a.docx >tree/d.docx
exits 1 nmt translate -m model.safetensors --document tree -o out2 2>err
grep -q "'tree/d.docx' is not translated" err || fail "$(<err)"
grep -q "1 of 3 documents" err || fail "$(<err)"
cmp out2/c.docx a.docx || fail "out2/c.docx"
[[ ! -e out2/d.docx ]] || fail "out2/d.docx exists"

# A translation memory.
translate --document in/a.docx -o memory.tmx
python3 - memory.tmx lines expected <<'END' || fail "memory.tmx"
import sys, xml.etree.ElementTree as tree
segments = [segment.text for segment in tree.parse(sys.argv[1]).iter("seg")]
lines = [open(path).read().splitlines() for path in sys.argv[2:]]
assert segments == [text for pair in zip(*lines) for text in pair], segments
END
translate --document in/a.docx --source-language en --target-language de -o languages.tmx || fail "languages of a memory"
grep -q '<tuv xml:lang="en">.*<tuv xml:lang="de">' languages.tmx || fail "$(<languages.tmx)"
refuses 2 "has no language tokens" translate --document in/a.docx --target-language de -o x

# Tags stay on their words, and placeholders are kept.
first=$(head -n 1 lines)
echo "<p>$first <b>{name}</b> %s https://example.com/the</p>" >tags.html
translate --document tags.html -o - >tags.out
for part in '{name}' '%s' 'https://example.com/the' '<b>' '</b>'; do
  equal "$(grep -oF "$part" tags.out)" "$part" "parts of $(<tags.out)"
done

# Encodings stay.
printf '1\n00:00:01,000 --> 00:00:02,000\n%s caf\xe9\n' "$first" >old.srt
refuses 1 "old.srt.*line 3 is not in UTF-8; name its encoding" translate --document old.srt -o x
translate --document old.srt --document-encoding windows-1252 -o old.out
iconv -f windows-1252 old.out >old.read || fail "old.out"
head -n 2 old.srt | cmp - <(head -n 2 old.out) || fail "$(<old.read)"
refuses 2 "encoding 'martian' is not known" translate --document old.srt --document-encoding martian -o x

# What cannot be read, or does not go together, is one clear line, and outputs stay as they were.
echo before >there.docx
head -c 300 in/a.docx >broken.docx
refuses 1 "broken.docx.*zip archive is damaged" translate --document broken.docx -o there.docx
equal "$(<there.docx)" before "an output after a failure"
refuses 2 "unknown format.*document-format" translate --document lines -o x
refuses 1 "not of the format docx" translate --document lines --document-format docx -o x
refuses 2 "document and --n-best exclude each other" translate --document in/a.html --n-best 2 -o x
refuses 2 "is a folder; name a folder" translate --document tree
refuses 2 "'new/' is a folder; name a file" translate --document in/a.html -o new/
refuses 2 "format of its document, which is html; change the name" translate --document in/a.html -o x.docx
refuses 2 "translate a document by --document 'in/a.docx'" translate -i in/a.docx -o x
nmt translate -m model.safetensors -i in/a.html -o lines.out 2>err || fail "$(<err)"
grep -q "warning: 'in/a.html' is translated line by line; --document 'in/a.html' keeps" err || fail "$(<err)"
refuses 2 "is in the folder of --document" translate --document tree -o tree/out
refuses 2 "in/a.html" translate --document in/a.html -o in/a.html
mkdir links
ln in/a.html links/a.html
refuses 2 "'links/a.html' is the same file as 'in/a.html' of --document" translate --document in -o links
ln -sf ../model.safetensors links/a.html
refuses 2 "'links/a.html' is the same file as 'model.safetensors'" translate --document in -o links
ln -sf a.md links/a.html
refuses 2 "'links/a.md' is the same file as 'links/a.html'" translate --document in -o links
refuses 1 "cannot read 'nofile': No such file" translate --document nofile -o x
echo "<la/>" >la.xml
refuses 2 "neither DocBook nor XLIFF" translate --document la.xml -o x
refuses 2 "documents are not compressed" translate --document in/a.html -o x.tmx.gz
refuses 2 "document-keys is for JSON and YAML, but 'in/a.html'" translate --document in/a.html --document-keys la -o x
[[ ! -e x && ! -e x.tmx.gz ]] || fail "x exists"

# Keys that no text has are a warning.
nmt translate -m model.safetensors --document in/a.yml --document-keys text -o keys.yml 2>err || fail "$(<err)"
grep -q "no text with the keys 'text'" err || fail "$(<err)"
cmp in/a.yml keys.yml || fail "keys.yml"
