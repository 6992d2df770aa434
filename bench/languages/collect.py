#!/usr/bin/env python3
"""Collects sentences in many languages from Debian packages and package descriptions.

    collect.py FOLDER

FOLDER has packages (*.deb) and indices of package descriptions (*Translation-*), as train.sh downloads
them. Writes FOLDER/train.tsv, for training, and FOLDER/held-out.tsv, whose sentences are from the documentation
of GNOME and from descriptions of packages that train.tsv leaves out. Each line is a language, a tab and a text.
"""
import collections
import gzip
import hashlib
import html
import re
import struct
import subprocess
import sys
import tarfile
from pathlib import Path

# Languages by ISO 639, where packages use another name. Languages that have two scripts get both.
NAMES = {"nb": "no", "iw": "he", "in": "id", "fil": "tl", "gug": "gn", "kmr": "ku", "mo": "ro"}
SCRIPTS = {"zh": {"CN": "Hans", "SG": "Hans", "Hans": "Hans", "TW": "Hant", "HK": "Hant", "Hant": "Hant"},
           "sr": {"": "Cyrl", "RS": "Cyrl", "latin": "Latn", "Latn": "Latn", "ijekavianlatin": "Latn",
                  "ijekavian": "Cyrl", "ME": "Latn"},
           "uz": {"": "Latn", "cyrillic": "Cyrl", "Cyrl": "Cyrl"}}
# Dialects and artificial variants that are written much like another language here.
IGNORED = {"ca_valencia", "ca_Valencia", "ang", "en_shaw", "en_Shaw", "en_boldquot", "en_quot", "szl", "racv", "la_OTHER"}
HELD_OUT = 10  # one package in HELD_OUT is held out
MOST = 10000   # texts of a language in a file that is written
OF_CATALOG = 1500  # messages that are taken of a catalog
OF_SOURCE = 6000  # texts of a language that are taken of a package, or of descriptions

# Languages of other scripts than Latin.
NOT_LATIN = set("am ar as be bg bn brx dgo dz el fa gu he hi hy ja ka kk km kn ko kok ks lo mai mk ml mn mni mr my "
                "ne or pa ps ru sa sat sd si sr_Cyrl ta te tg th ti ug uk ur uz_Cyrl yi zh_Hans zh_Hant ckb dv tt ky cv os bo".split())

LETTER = re.compile(r"[^\W\d_]")


def language_of(code):
    code = code.replace("-", "_").replace("@", "_").split(".")[0]
    if code in IGNORED:
        return None
    name, _, rest = code.partition("_")
    if name in SCRIPTS:
        for part in rest.split("_"):
            if part in SCRIPTS[name]:
                return f"{name}_{SCRIPTS[name][part]}"
        return None
    if not re.fullmatch("[a-z]{2,3}", name):
        return None
    return NAMES.get(name, name)


def cleaned(text):
    """A message without markup, placeholders and keyboard shortcuts."""
    text = html.unescape(re.sub(r"<[^<>]*>", " ", text))
    text = re.sub(r"\\[fn](\[?[A-Z]+\]?)?|\$\(?\{?\w*\}?\)?|%\([^)]*\)?\w|%[-#0-9.*lhz$]*\w?|\{[^{}]*\}|\[[^\[\]]*\]", " ", text)
    text = re.sub(r"\(?[_&~](?=\w)\w?\)|[_&~](?=\w)", lambda m: "" if len(m[0]) == 1 else " ", text)
    text = re.sub(r"\S*(://|@|www\.)\S*|\S*/\S*/\S*|(?<!\S)--?[\w-]+|\S*\w\.\w\S*", " ", text)
    return " ".join(text.split()).strip("*-\u2022\u00b7 ")


def is_language(text, language):
    """Whether most letters are of the script of the language, and there are enough of them."""
    letters = LETTER.findall(text)
    if len(letters) < 4 or len(letters) * 2 < len(text):
        return False
    latin = sum(c < "\u0250" or "\u1e00" <= c < "\u1f00" for c in letters)
    return latin * 4 < len(letters) if language in NOT_LATIN else latin * 2 > len(letters)


def messages(data):
    """Pairs of a message and its translation in a compiled catalog of gettext."""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, sources, targets = struct.unpack(order + "3I", data[8:20])
    def text(table, i):
        length, offset = struct.unpack_from(order + "2I", data, table + 8 * i)
        return data[offset:offset + length]
    for i in range(count):
        source = text(sources, i).split(b"\4")[-1]
        if source:
            yield source.split(b"\0"), text(targets, i).split(b"\0")


def manual(data):
    """Paragraphs of a manual page, without the macros."""
    paragraph, is_example = [], False
    for line in data.splitlines():
        if line.startswith((".nf", ".EX")):
            is_example = True
        if line.startswith((".fi", ".EE")):
            is_example = False
        if is_example or line.startswith(("'", ".")) or not line.strip():
            if paragraph:
                yield " ".join(paragraph)
            paragraph = []
        else:
            paragraph.append(re.sub(r"\\f(\[\w*\]|\(..|.)|\\[&:%/,|^]|\\s[-+]?\d+|\\\*?\(..|\\\[\w+\]|\\(.)", r"\2", line))
    if paragraph:
        yield " ".join(paragraph)


def page(data):
    for text in re.findall(r"<(p|title|desc)\b[^>]*>(.*?)</\1>", data, re.S):
        yield text[1]


def texts_of_package(path):
    """Triples of a language, a text, and whether it is held out."""
    process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE)
    with tarfile.open(fileobj=process.stdout, mode="r|") as files:
        for file in files:
            if not file.isfile():
                continue
            if found := re.search(r"/([\w@-]+)/LC_MESSAGES/[^/]*\.mo$", file.name):
                language = language_of(found[1])
                if not language:
                    continue
                pairs = list(messages(files.extractfile(file).read()))
                for source, target in pairs[::len(pairs) // OF_CATALOG + 1]:
                    for text in (target if target != source else []):
                        yield language, text.decode("utf-8", "replace"), False
                    yield "en", source[0].decode("utf-8", "replace"), False
            elif found := re.search(r"/share/man/([\w@.-]+)/man\d/.*\.gz$", file.name):
                language = language_of(found[1])
                if language:
                    for text in manual(gzip.decompress(files.extractfile(file).read()).decode("utf-8", "replace")):
                        yield language, text, False
            elif found := re.search(r"/share/help/([\w@-]+)/.*\.page$", file.name):
                language = "en" if found[1] == "C" else language_of(found[1])
                if language:
                    for text in page(files.extractfile(file).read().decode("utf-8", "replace")):
                        yield language, text, True
    process.wait()


def unpacked(path):
    if path.suffix == ".lz4":
        return subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", path], capture_output=True, check=True).stdout.decode()
    return path.read_text()


def descriptions(path):
    code = re.search(r"Translation-([\w@%]+)", path.name)[1].replace("%5f", "_")
    language = language_of(code)
    if not language:
        return
    for stanza in unpacked(path).split("\n\n"):
        fields = re.match(r"Package: (\S+)\n.*?Description-[\w@]+: (.*)", stanza, re.S)
        if not fields:
            continue
        held_out = int(hashlib.sha1(fields[1].encode()).hexdigest(), 16) % HELD_OUT == 0
        for paragraph in re.split(r"\n \.\n|\n  +|\n [-*] ", fields[2]):
            yield language, paragraph.replace("\n", " "), held_out


def sentences(text):
    yield from re.split(r"(?<=[.!?:;])\s+|(?<=[\u3002\uff01\uff1f])|\n", text)


def main():
    folder = Path(sys.argv[1])
    texts = {False: collections.defaultdict(dict), True: collections.defaultdict(dict)}
    def take(source):
        counts = collections.Counter()
        for language, text, held_out in source:
            counts[language, held_out] += 1
            if counts[language, held_out] > OF_SOURCE:
                continue
            for sentence in sentences(text):
                sentence = cleaned(sentence)
                if is_language(sentence, language):
                    texts[held_out][language].setdefault(sentence)
    for path in sorted(folder.glob("**/*Translation-*")):
        take(descriptions(path))
    for path in sorted(folder.glob("**/*.deb")):
        print(path.name, file=sys.stderr, flush=True)
        take(texts_of_package(path))
    english = set(texts[False]["en"]) | set(texts[True]["en"])
    trained = set().union(*texts[False].values())
    for held_out, name in ((False, "train.tsv"), (True, "held-out.tsv")):
        with open(folder / name, "w") as out:
            for language, found in sorted(texts[held_out].items()):
                kept = [text for text in found if language == "en" or text not in english]
                if held_out:
                    kept = [text for text in kept if text not in trained]
                kept.sort(key=lambda text: hashlib.sha1(text.encode()).digest())
                for text in kept[:MOST]:
                    out.write(f"{language}\t{text}\n")


if __name__ == "__main__":
    main()
