#!/usr/bin/env python3
"""Compares glossaries by annotation and by constraints.

bench/terminology.py --plain MODEL --terms MODEL --source FILE --reference FILE --forms FILE [--nmt build/nmt] [--rounds 3]
                     [-- OPTION...]

The second model was trained as the first one, but with `--augment terms`. Files may be compressed by xz. Two glossaries are made
from the files. One has the terms of bench/glossary.py, whose translations are the forms of the references. The other one has the
same terms, as far as --forms, a text of the target language, has another form of the translation: the most frequent word of at
least four letters that differs in at most the last three letters, such as "Hund" for "Hunde". So a translation that fits has
inflected the term.

Prints for each model without a glossary, and with both glossaries by each means: the shares of terms that the translations have
as in the glossary, and in the form of the reference; BLEU; and CPU times as ratios to the time of the first model without a
glossary, medians of rounds whose order alternates. Further options are of `nmt translate`.
"""
import argparse
import collections
import pathlib
import re
import statistics
import tempfile

from glossary import WORD, Translation, lines_of, terms_of

MOST_OTHER, SHORTEST_STEM = 2, 4  # letters


def other_forms(terms, text):
    """Terms with another form of their translation, if there is one."""
    counts = collections.Counter(word for line in text for word in WORD.findall(line))
    forms = collections.defaultdict(list)
    for word in counts:
        for left_out in range(MOST_OTHER + 1):
            if len(word) - left_out >= SHORTEST_STEM:
                forms[word[:len(word) - left_out]].append(word)
    others = {}
    for term, target in terms.items():
        stem = target[:max(len(target) - MOST_OTHER, SHORTEST_STEM)]
        found = [word for word in forms[stem] if word != target and word.lower() != target.lower()]
        if found and len(target) >= SHORTEST_STEM:
            others[term] = max(found, key=lambda word: (counts[word], word))
    return others


def count_terms(texts, sources, terms):
    """How many occurrences of terms in sources have the word for them in the translation; and the number of occurrences."""
    met = count = 0
    for text, source in zip(texts, sources):
        words = set(map(str.lower, WORD.findall(text)))
        for term in set(WORD.findall(source)) & terms.keys():
            count += 1
            met += terms[term].lower() in words
    return met, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for model in "--plain", "--terms":
        parser.add_argument(model, required=True)
    for file in "--source", "--reference", "--forms":
        parser.add_argument(file, type=pathlib.Path, required=True)
    parser.add_argument("--nmt", default="build/nmt")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("options", nargs="*")
    given = parser.parse_args()
    sources, references = lines_of(given.source), lines_of(given.reference)
    glossaries = {"forms of the references": terms_of(sources, references)}
    glossaries["other forms"] = other_forms(glossaries["forms of the references"], lines_of(given.forms))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "source").write_text("".join(line + "\n" for line in sources), encoding="utf-8")
        (folder / "reference").write_text("".join(line + "\n" for line in references), encoding="utf-8")
        for glossary, terms in glossaries.items():
            (folder / glossary).write_text("".join(f"{word}\t{other}\tcase\n" for word, other in terms.items()), encoding="utf-8")
        runs = [("plain", None, None), ("terms", None, None)]
        for glossary in glossaries:
            runs += [("plain", glossary, "constraints"), ("terms", glossary, "constraints"), ("terms", glossary, "annotation")]
        results = collections.defaultdict(list)
        for number in range(given.rounds):
            for run in runs if number % 2 == 0 else reversed(runs):
                model, glossary, means = run
                options = ["-m", getattr(given, model), *given.options] + (["--glossary-by", means] if means else [])
                results[run].append(Translation(given.nmt, options, folder, glossary and folder / glossary))
        base = [run.seconds for run in results[runs[0]]]
        for glossary, terms in glossaries.items():
            wanted = {term: glossaries["forms of the references"][term] for term in terms}
            print(f"{glossary}: {len(terms)} terms, {count_terms(references, sources, wanted)[1]} occurrences")
            for run in runs:
                if run[1] not in (None, glossary):
                    continue
                measured = results[run]
                shares = [met / count for met, count in (count_terms(measured[0].texts, sources, each) for each in (terms, wanted))]
                ratio = statistics.median(one.seconds / other for one, other in zip(measured, base))
                print(f"  {run[0]} model, {run[2] or 'no glossary'}: as in the glossary {shares[0]:.1%}, as in the reference "
                      f"{shares[1]:.1%}, BLEU {measured[0].bleu(given.nmt, folder)}, {ratio:.2f} times the CPU time")


if __name__ == "__main__":
    main()
