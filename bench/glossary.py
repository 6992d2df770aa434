#!/usr/bin/env python3
"""Measures what a glossary does to translations, and what it costs.

bench/glossary.py --model MODEL --source FILE --reference FILE [--nmt build/nmt] [--rounds 3] [-- OPTION...]

The files have parallel lines and may be compressed by xz. The glossary is made from them: a source word and a target word that
occur in nearly the same lines (Dice coefficient above 0.9, at least twice) are a term. So its translations are those of the
references.

Prints the terms that are in the translations without and with this glossary, BLEU, and CPU times as ratios to the time without
a glossary, medians of rounds whose order alternates: with this glossary, and with 10,000 terms that do not occur. Further
options are of `nmt translate`.
"""
import argparse
import collections
import json
import lzma
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile

WORD = re.compile(r"\w[\w-]*\w")


def lines_of(path):
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def terms_of(sources, references):
    """The words of both sides that occur in nearly the same lines."""
    sides = []
    for texts in sources, references:
        lines = collections.defaultdict(set)
        for number, text in enumerate(texts):
            for word in WORD.findall(text):
                lines[word].add(number)
        sides.append({word: found for word, found in lines.items() if 2 <= len(found) <= 50})
    terms, taken = {}, set()
    for word, found in sides[0].items():
        together = collections.Counter(other for number in found for other in set(WORD.findall(references[number])))
        best = max(together, key=lambda other: (len(found & sides[1].get(other, set())), other), default=None)
        if best is None or best not in sides[1] or best in taken:
            continue
        if 2 * len(found & sides[1][best]) / (len(found) + len(sides[1][best])) > 0.9 and word.lower() not in map(str.lower, terms):
            terms[word] = best
            taken.add(best)
    return terms


class Translation:
    """What a run of nmt translate has printed, and its CPU seconds."""

    def __init__(self, nmt, options, folder, glossary):
        command = [nmt, "translate", *options, "-i", str(folder / "source"), "--output-format", "jsonl", "-q"]
        if glossary:
            command += ["--glossary", str(glossary)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.lines = [json.loads(line) for line in output.splitlines()]
        self.texts = [line["text"] for line in self.lines]

    def bleu(self, nmt, folder):
        (folder / "hypothesis").write_text("".join(text + "\n" for text in self.texts), encoding="utf-8")
        scores = subprocess.run([nmt, "bleu", str(folder / "reference"), "-i", str(folder / "hypothesis"), "--json"],
                                stdout=subprocess.PIPE, text=True, check=True).stdout
        return json.loads(scores)["score"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--reference", type=pathlib.Path, required=True)
    parser.add_argument("--nmt", default="build/nmt")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("options", nargs="*")
    given = parser.parse_args()
    sources, references = lines_of(given.source), lines_of(given.reference)
    terms = terms_of(sources, references)
    options = ["-m", given.model, *given.options]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "source").write_text("".join(line + "\n" for line in sources), encoding="utf-8")
        (folder / "reference").write_text("".join(line + "\n" for line in references), encoding="utf-8")
        (folder / "terms.tsv").write_text("".join(f"{word}\t{other}\tcase\n" for word, other in terms.items()), encoding="utf-8")
        (folder / "others.tsv").write_text("".join(f"qq{number} of zz\tx{number}\n" for number in range(10_000)), encoding="utf-8")
        glossaries = {"no glossary": None, "terms": folder / "terms.tsv", "10,000 others": folder / "others.tsv"}
        runs = {name: [] for name in glossaries}
        for number in range(given.rounds):
            order = list(glossaries)
            for name in order if number % 2 == 0 else reversed(order):
                runs[name].append(Translation(given.nmt, options, folder, glossaries[name]))
        with_terms = runs["terms"][0]
        found = [line.get("terms", []) for line in with_terms.lines]
        count = sum(map(len, found))
        print(f"{len(terms)} terms, {count} occurrences in {sum(map(bool, found))} of {len(found)} lines")
        base = [run.seconds for run in runs["no glossary"]]
        for name, measured in runs.items():
            met = sum(any(re.search(rf"(?<!\w){re.escape(target)}(?!\w)", text, re.IGNORECASE) for target in term["targets"])
                      for text, of_line in zip(measured[0].texts, found) for term in of_line)
            ratio = statistics.median(run.seconds / other for run, other in zip(measured, base))
            print(f"{name}: {met} of {count} terms, BLEU {measured[0].bleu(given.nmt, folder)}, {ratio:.2f} times the CPU time")
        same = sum(one == other for one, other, of_line in zip(runs["no glossary"][0].texts, with_terms.texts, found) if not of_line)
        print(f"equal translations of lines without terms: {same} of {sum(not of_line for of_line in found)}")


if __name__ == "__main__":
    main()
