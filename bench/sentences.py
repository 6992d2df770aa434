#!/usr/bin/env python3
"""Compares the splitter of nmt with the rules of Moses and with ICU.

bench/sentences.py [--program build/bench/bench_split_sentences] FOLDER

FOLDER contains newstest2012.en-de.{de,en}.xz and newstest2013.en-de.{de,en}.xz, with one sentence per line. Needs
`pip install sentence-splitter PyICU`: the first has the rules and lists of Moses.

Prints a line for each file and splitter:
splits      sentence ends found within lines, each line on its own
beyond      of these, the ends within lines that Moses does not split
precision, recall, F1
            of the ends of lines. For this, all lines that end with a final mark (and perhaps closing quotation marks and
            brackets) are joined with spaces into one text. Ends within a line that Moses finds on the line alone are
            neither right nor wrong; `strict F1` counts them as wrong.
"""
import argparse
import lzma
import pathlib
import re
import subprocess

import icu
import sentence_splitter

FINAL = re.compile(r"""[.?!…]["'”“’»)\]]*$""")


def ends_of(sentences, text):
    """The ends of sentences in the text, counted in characters without spaces, which splitters change."""
    ends, place = set(), 0
    for sentence in sentences:
        place += len(sentence.replace(" ", ""))
        ends.add(place)
    assert place == len(text.replace(" ", "")), text
    return ends


class Nmt:
    def __init__(self, program, language):
        self.command = [program, language]

    def __call__(self, texts):
        output = subprocess.run(self.command, input="\n".join(texts) + "\n", stdout=subprocess.PIPE, text=True, check=True)
        return [line.split("\t") for line in output.stdout.split("\n")[:-1]]


class Moses:
    def __init__(self, language):
        self.splitter = sentence_splitter.SentenceSplitter(language=language)

    def __call__(self, texts):
        return [self.splitter.split(text) for text in texts]


class Icu:
    def __init__(self, locale):
        self.breaks = icu.BreakIterator.createSentenceInstance(icu.Locale(locale))

    def __call__(self, texts):
        return [list(self.sentences(text)) for text in texts]

    def sentences(self, text):
        text = icu.UnicodeString(text)
        self.breaks.setText(text)
        begin = 0
        for end in self.breaks:
            yield str(text[begin:end]).strip()
            begin = end


def inner_ends(sentences, line):
    return ends_of(sentences, line) - {len(line.replace(" ", ""))}


def evaluate(splitter, lines, of_moses):
    found = [inner_ends(sentences, line) for sentences, line in zip(splitter(lines), lines)]
    beyond = sum(len(ends) for ends, theirs in zip(found, of_moses) if not theirs)
    whole = [(line, theirs) for line, theirs in zip(lines, of_moses) if FINAL.search(line)]
    right, neither, place = set(), set(), 0
    for line, theirs in whole:
        neither |= {place + end for end in theirs}
        place += len(line.replace(" ", ""))
        right.add(place)
    text = " ".join(line for line, _ in whole)
    told = ends_of(splitter([text])[0], text)
    hits = len(told & right)
    recall = hits / len(right)

    def f1(precision):
        return 2 * precision * recall / (precision + recall)

    precision, strict = hits / len(told - neither), hits / len(told)
    return sum(map(len, found)), beyond, precision, recall, f1(precision), f1(strict)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", default="build/bench/bench_split_sentences")
    arguments = parser.parse_args()
    print(f"{'text':15} {'splitter':18} {'splits':>6} {'beyond':>6} {'precision':>9} {'recall':>7} {'F1':>6} {'strict F1':>9}")
    for year in (2012, 2013):
        for language in ("en", "de"):
            file = arguments.folder / f"newstest{year}.en-de.{language}.xz"
            lines = [" ".join(line.split()) for line in lzma.open(file, "rt", encoding="utf-8")]
            moses = Moses(language)
            splitters = {"nmt": Nmt(arguments.program, language), "nmt, no language": Nmt(arguments.program, ""),
                         "Moses": moses, "ICU": Icu(language), "ICU, suppressions": Icu(language + "@ss=standard")}
            of_moses = [inner_ends(sentences, line) for sentences, line in zip(moses(lines), lines)]
            for name, splitter in splitters.items():
                splits, beyond, precision, recall, f1, strict = evaluate(splitter, lines, of_moses)
                print(f"newstest{year}.{language} {name:18} {splits:6} {beyond:6} {precision:9.2%} {recall:7.2%} {f1:6.2%} "
                      f"{strict:9.2%}", flush=True)


if __name__ == "__main__":
    main()
