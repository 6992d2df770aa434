#!/usr/bin/env python3
"""Writes training text for fastText: prepare.py train.tsv > train.txt

The lines are texts, and pieces of a few words of them, as people type them: some without capitals, some without
punctuation. Languages that more people write get more lines.
"""
import collections
import random
import re
import sys

LINES = 6000  # of a language, times its weight
WEIGHTS = {"en": 6, **dict.fromkeys(("de", "es", "fr", "it", "nl", "pl", "pt", "ru", "ja", "zh_Hans"), 2.5),
           **dict.fromkeys(("an", "ast", "br", "crh", "eo", "fo", "gd", "gn", "gv", "kab", "la", "lg", "li", "ln", "nds",
                            "nr", "nso", "oc", "se", "sm", "ss", "st", "tn", "ts", "ve"), 0.5)}
FEWEST = 190   # texts of a language that are enough to learn it
# Constructed languages, and small ones much like another, which would take texts from that.
IGNORED = {"ang", "an", "csb", "cgg", "fur", "ia", "ie", "io", "mjw", "tok", "wa", "ach", "co"}
SPACELESS = {"ja", "zh_Hans", "zh_Hant", "th", "km", "lo", "my", "bo", "dz"}


ENGLISH = {"the", "this", "with", "from", "you", "your", "and", "which", "that", "not"}


def is_untranslated(text, language):
    """Whether a text that should be in another language is English."""
    words = text.lower().split()
    return language != "en" and sum(word in ENGLISH for word in words) > len(words) // 8


def piece(text, language, choice):
    words = list(text) if language in SPACELESS else text.split()
    most = 4 if language in SPACELESS else 1
    length = min(len(words), most * choice.choice((1, 2, 3, 3, 4, 5, 6, 8, 10, 15, 25)))
    begin = choice.randint(0, len(words) - length)
    return ("" if language in SPACELESS else " ").join(words[begin:begin + length])


def main():
    texts = collections.defaultdict(list)
    for line in open(sys.argv[1]):
        language, text = line.rstrip("\n").split("\t", 1)
        if language not in IGNORED and not is_untranslated(text, language):
            texts[language].append(text)
    choice = random.Random(1)
    lines = []
    for language, found in sorted(texts.items()):
        if len(found) < FEWEST:
            continue
        choice.shuffle(found)
        for i in range(int(LINES * WEIGHTS.get(language, 1))):
            text = piece(found[i % len(found)], language, choice)
            if choice.random() < 0.3:
                text = text.lower()
            if choice.random() < 0.3:
                text = " ".join(re.sub(r"[^\w\s'-]", " ", text).split())
            if re.search(r"[^\W\d_]", text):
                lines.append(f"__label__{language} {text}\n")
    choice.shuffle(lines)
    sys.stdout.writelines(lines)


if __name__ == "__main__":
    main()
