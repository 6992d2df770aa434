#!/usr/bin/env python3
"""Makes a shortlist for nmt translate --shortlist from the links of a word aligner, eflomal, instead of a model's
attention.

usage: eflomal_shortlist.py VOCABULARY.spm SOURCE TARGET OUTPUT [--best 50] [--frequent 100]

One vocabulary for both sides, plain text. Needs python3 -m pip install eflomal sentencepiece.
"""
import argparse
import collections
import subprocess
import tempfile

import sentencepiece


def links(directory, source, target):
    """Pairs (source piece, target piece) of each sentence that the aligner links in either direction."""
    for name, sentences in ("source", source), ("target", target):
        with open(f"{directory}/{name}", "w", encoding="utf-8") as out:
            out.writelines(" ".join(pieces) + "\n" for pieces in sentences)
    names = {option: f"{directory}/{name}" for option, name in
             (("-s", "source"), ("-t", "target"), ("-f", "forward"), ("-r", "reverse"))}
    subprocess.run(["eflomal-align", "--overwrite", *sum(map(list, names.items()), [])], check=True)
    with open(names["-f"]) as forward, open(names["-r"]) as reverse:
        for pieces, words, *lines in zip(source, target, forward, reverse):
            for i, j in {tuple(map(int, link.split("-"))) for line in lines for link in line.split()}:
                yield pieces[i], words[j]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in "vocabulary", "source", "target", "output":
        parser.add_argument(name)
    parser.add_argument("--best", type=int, default=50)
    parser.add_argument("--frequent", type=int, default=100)
    options = parser.parse_args()
    vocabulary = sentencepiece.SentencePieceProcessor(model_file=options.vocabulary)

    def encoded(path):
        with open(path, encoding="utf-8") as lines:
            return [vocabulary.encode(line.rstrip("\n"), out_type=str) for line in lines]

    known = {vocabulary.id_to_piece(i) for i in range(vocabulary.get_piece_size())}
    source, target = encoded(options.source), encoded(options.target)
    counts = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as directory:
        for piece, word in links(directory, source, target):
            if word in known:
                counts[piece][word] += 1
    often = collections.Counter(word for words in target for word in words if word in known)
    with open(options.output, "w", encoding="utf-8") as out:
        out.write("\t" + "\t".join(word for word, _ in often.most_common(options.frequent)) + "\n")
        for piece in sorted(known):
            best = [word for word, _ in counts[piece].most_common(options.best)]
            out.write("\t".join([piece, *dict.fromkeys(best + [piece])]) + "\n")


main()
