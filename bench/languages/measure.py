#!/usr/bin/env python3
"""Compares a language model of fastText with CLD2 on the beginnings of sentences.

    measure.py MODEL TSV [--languages en,de,...] [--per N]

TSV has lines of a language, a tab and a text, such as held-out.tsv of collect.py. Prints, for pieces of 3, 5 and 10
words, how many percent each detector assigns to the right language: among all languages that it knows, and among those
of --languages alone. It needs the modules fasttext and pycld2.
"""
import argparse
import collections

import fasttext
import pycld2

from prepare import SPACELESS, is_untranslated

CLD2_NAMES = {"zh": "zh_Hans", "zh-Hant": "zh_Hant", "sr": "sr_Cyrl", "iw": "he", "nb": "no", "jw": "jv"}


def first_words(text, language, count):
    if language in SPACELESS:
        return text[:3 * count] if len(text) >= 3 * count else None
    words = text.split()
    return " ".join(words[:count]) if len(words) >= count else None


def by_fasttext(model, text, languages):
    labels, _ = model.predict(text, k=-1)
    names = [label[len("__label__"):] for label in labels]
    return next((name for name in names if not languages or name in languages), None)


def by_cld2(text, languages):
    hint = ",".join(sorted({name.split("_")[0] for name in languages})) if languages else None
    try:
        found = pycld2.detect(text, isPlainText=True, bestEffort=True, hintLanguageHTTPHeaders=hint)[2]
    except pycld2.error:
        return None
    names = [CLD2_NAMES.get(code, code) for _, code, percent, _ in found if percent > 0]
    return next((name for name in names if not languages or name in languages), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("tsv")
    parser.add_argument("--languages", help="that are tested, and that restricted detection is among")
    parser.add_argument("--per", type=int, default=200, help="texts of each language")
    parser.add_argument("--show", action="store_true", help="a line for each language")
    arguments = parser.parse_args()
    fasttext.FastText.eprint = lambda *_: None
    model = fasttext.load_model(arguments.model)
    texts = collections.defaultdict(list)
    for line in open(arguments.tsv):
        language, text = line.rstrip("\n").split("\t", 1)
        if not is_untranslated(text, language):
            texts[language].append(text)
    languages = arguments.languages.split(",") if arguments.languages else sorted(texts)
    for count in (3, 5, 10):
        right, total = collections.Counter(), collections.Counter()
        for language in languages:
            pieces = [piece for text in texts[language] if (piece := first_words(text, language, count))]
            for piece in pieces[:arguments.per]:
                total[language] += 1
                for name, among in (("all", None), ("served", set(languages))):
                    right["model", name, language] += by_fasttext(model, piece, among) == language
                    right["CLD2", name, language] += by_cld2(piece, among) == language
        used = [language for language in languages if total[language] >= 20]
        for name in ("all", "served"):
            row = [100 * sum(right[by, name, l] / total[l] for l in used) / len(used) for by in ("model", "CLD2")]
            print(f"{count} words, {name}, {len(used)} languages: model {row[0]:.1f} %, CLD2 {row[1]:.1f} %")
        if arguments.show:
            for l in used:
                print("   ", l, total[l], *(f"{by}/{name} {100 * right[by, name, l] / total[l]:.0f}" for name in ("all", "served") for by in ("model", "CLD2")))


if __name__ == "__main__":
    main()
