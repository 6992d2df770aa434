#!/usr/bin/env python3
"""Measures what metrics trained by nmt are good for, on Multi30k (English to German) with synthetic judgments.

A judgment is a reference whose words were dropped, doubled, swapped, replaced or cut off, or that belongs to another
sentence; its score is the share of words that are left as they were. Steps, each of which leaves its files in --work:

data      texts, vocabulary, judgments of the first half of the training text, a noisy copy of the second half
translator  a small model trained on all clean pairs
metric, qe  a regression and a referenceless model trained on the judgments
choose    translations of test2016 by beam search, by MBR and by reranking, scored by all metrics
length, quality, true  a model trained on what is left of the noisy half by a filter of lengths, by the same and the
          referenceless model, and by what is known about the noise
"""
import argparse
import json
import lzma
import os
import random
import subprocess
from pathlib import Path

NOISE = 0.3
KINDS = ["drop", "double", "swap", "replace", "cut", "other"]


def damage(words, kind, amount, others, rng):
    """Returns damaged words and their score: the share of words that are left as they were."""
    count = len(words)
    changed = max(1, min(count - 1, round(amount * count)))
    places = set(rng.sample(range(count), changed))
    if kind == "other":
        return rng.choice(others).split(), 0.0
    if kind == "cut":
        return words[:count - changed], 1 - changed / count
    if kind == "swap":  # with the next word
        result, at = list(words), 0
        swaps = sorted(place for place in places if place + 1 < count)[:max(1, changed // 2)] or [0]
        for at in swaps:
            result[at], result[at + 1] = result[at + 1], result[at]
        return result, 1 - min(1, 2 * len(swaps) / count)
    result = []
    for place, word in enumerate(words):
        if place not in places:
            result.append(word)
        elif kind == "double":
            result += [word, word]
        elif kind == "replace":
            result.append(rng.choice(rng.choice(others).split()))
    return result, 1 - changed / count


def judgments(sources, targets, per_line, rng):
    """Yields (source, translation, reference, score); one in six translations is the reference itself."""
    for source, target in zip(sources, targets):
        words = target.split()
        for _ in range(per_line):
            if len(words) < 3 or rng.random() < 1 / 6:
                yield source, target, target, 1.0
                continue
            changed, score = damage(words, rng.choice(KINDS), rng.random(), targets, rng)
            if rng.random() < 0.3 and len(changed) > 2:  # twice
                changed, again = damage(changed, rng.choice(KINDS[:5]), rng.random() / 2, targets, rng)
                score *= again
            yield source, " ".join(changed), target, round(score, 4)


def noisy(sources, targets, rng):
    """Yields pairs of which a share of NOISE is bad, and whether they are good."""
    for source, target in zip(sources, targets):
        words = target.split()
        if len(words) < 3 or rng.random() >= NOISE:
            yield source, target, True
        elif rng.random() < 0.5:
            yield source, rng.choice(targets), False
        else:
            kind = rng.choice(KINDS[:5])
            yield source, " ".join(damage(words, kind, rng.uniform(0.3, 1), targets, rng)[0]), False


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def write_judgments(path, rows):
    write_lines(path, ["src\tmt\tref\tscore"] + ["\t".join(map(str, row)) for row in rows])


def prepare(o):
    rng = random.Random(1)
    texts = {}
    for part in ["train", "valid", "test2016", "test2017"]:
        for side in ["en", "de"]:
            with lzma.open(o.data / f"{part}.{side}.xz", "rt", encoding="utf-8") as file:
                texts[part, side] = [" ".join(line.split()) for line in file]
            write_lines(o.work / f"{part}.{side}", texts[part, side])
    en, de = texts["train", "en"], texts["train", "de"]
    half = len(en) // 2
    write_judgments(o.work / "judgments.tsv", judgments(en[:half], de[:half], 4, rng))
    write_judgments(o.work / "valid.tsv", judgments(texts["valid", "en"], texts["valid", "de"], 1, rng))
    write_judgments(o.work / "held-out.tsv", judgments(texts["test2017", "en"], texts["test2017", "de"], 2, rng))
    rows = list(noisy(en[half:], de[half:], rng))
    for name, kept in [("noisy", rows), ("true", [row for row in rows if row[2]])]:
        write_lines(o.work / f"{name}.en", [row[0] for row in kept])
        write_lines(o.work / f"{name}.de", [row[1] for row in kept])
    write_lines(o.work / "noisy.good", [str(int(row[2])) for row in rows])
    run(o, "vocab", "-i", "train.en", "-i", "train.de", "-o", "words.spm", "--size", 6000)


def run(o, *arguments, stdin=None, stdout=None):
    command = [str(o.nmt), *map(str, arguments)]
    print("$ nmt", " ".join(command[1:]), flush=True)
    with open(stdin or os.devnull, encoding="utf-8") as given, open(stdout or os.devnull, "w", encoding="utf-8") as taken:
        subprocess.run(command, cwd=o.work, check=True, stdin=given, stdout=taken if stdout else None)


def train_translator(o, name, source, target, *more):
    run(o, "train", "--preset", "transformer-tiny", "--vocab", "words.spm", *more,
        *([] if source is None else ["--source", source, "--target", target]), "--valid-source", "valid.en",
        "--valid-target", "valid.de", "-o", name, "--steps", o.translator_steps, "--warmup", 400,
        "--valid-beam", 1, "--valid-every", 400, "--save-every", 400, "--threads", o.threads)


def translate(o, model, output, *more, source="test2016.en"):
    run(o, "translate", "-m", f"{model}/best.safetensors", "--threads", o.threads, *more, stdin=o.work / source,
        stdout=o.work / output)


def bleu(o, output, metrics="bleu,chrf", *more):
    command = [str(o.nmt), "bleu", "test2016.de", "-m", metrics, "-i", output, "--json", *more]
    done = subprocess.run(command, cwd=o.work, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def tau_of(o, metric):
    """Kendall's tau-b of a metric on the held-out judgments."""
    rows = [line.split("\t") for line in (o.work / "held-out.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    for column, name in enumerate(["src", "mt", "ref"]):
        write_lines(o.work / f"held-out.{name}", [row[column] for row in rows])
    out = subprocess.run([str(o.nmt), "bleu", "held-out.ref", "-m", "comet,chrf,bleu", "--comet", metric, "--source",
                          "held-out.src", "-i", "held-out.mt", "--sentence-level", "--json"],
                         cwd=o.work, check=True, capture_output=True, text=True).stdout
    gold = [float(row[3]) for row in rows]
    return {name: kendall(gold, scores) for name, scores in sentence_scores(out).items()}


def sentence_scores(text):
    scores = {}
    for line in text.splitlines():
        for score in json.loads(line):
            scores.setdefault(score["name"], []).append(score["score"])
    return scores


def kendall(a, b):
    """Kendall's tau-b, by all pairs."""
    both = ties_a = ties_b = 0
    count = len(a)
    for i in range(count):
        for j in range(i):
            x, y = (a[i] > a[j]) - (a[i] < a[j]), (b[i] > b[j]) - (b[i] < b[j])
            both += x * y
            ties_a += x == 0
            ties_b += y == 0
    pairs = count * (count - 1) / 2
    return both / ((pairs - ties_a) * (pairs - ties_b)) ** 0.5


def train_metric(o, preset, name):
    run(o, "train", "--preset", preset, "--judgments", "judgments.tsv", "--valid-judgments", "valid.tsv", "--vocab",
        "words.spm", "-o", name, "--d-model", 128, "--d-ff", 512, "--encoder-layers", 2, "--estimator-sizes", 256,
        "--steps", o.metric_steps, "--warmup", 300, "--threads", o.threads)
    print(name, "tau on held-out judgments:", tau_of(o, f"{name}/best.safetensors"), flush=True)


def choose(o):
    ways = {"beam": [], "mbr": ["--sample", "--mbr", "comet", "--comet", "metric/best.safetensors"],
            "reranked": ["--beam", 16, "--rerank-by", "qe/best.safetensors"]}
    for name, more in ways.items():
        if more:
            more += ["--candidates", 16]
        translate(o, "translator", f"{name}.de", *more)
    for name in ways:
        for metric in ["metric", "qe"]:
            scores = bleu(o, f"{name}.de", "bleu,chrf,comet", "--comet", f"{metric}/best.safetensors", "--source",
                          "test2016.en")
            print(name, metric, json.dumps(scores), flush=True)


def train_on(o, name):
    """Trains a model on what a filter leaves of the noisy pairs, and scores it."""
    filters = {"length": ["--max-ratio", 2], "true": [],
               "quality": ["--max-ratio", 2, "--quality-model", "qe/best.safetensors", "--min-quality", o.min_quality]}
    text = "true" if name == "true" else "noisy"
    run(o, "batch", "--source", f"{text}.en", "--target", f"{text}.de", "--vocab", "words.spm", "-o", f"{name}.nmtc",
        *filters[name])
    train_translator(o, f"on-{name}", None, None, "--train", f"{name}.nmtc")
    translate(o, f"on-{name}", f"on-{name}.de")
    print(name, json.dumps(bleu(o, f"on-{name}.de")), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with Multi30k: train.en.xz, test2016.de.xz, ...")
    parser.add_argument("--nmt", type=Path, default=Path("build/nmt"))
    parser.add_argument("--work", type=Path, default=Path("trained-metric"))
    parser.add_argument("--steps", default="data,translator,metric,qe,choose,length,quality,true")
    parser.add_argument("--translator-steps", type=int, default=800)
    parser.add_argument("--metric-steps", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--min-quality", type=float, default=0.7)
    o = parser.parse_args()
    o.nmt, o.data, o.work = o.nmt.resolve(), o.data.resolve(), o.work.resolve()
    o.work.mkdir(parents=True, exist_ok=True)
    steps = {"data": prepare, "choose": choose,
             "translator": lambda o: train_translator(o, "translator", "train.en", "train.de"),
             "metric": lambda o: train_metric(o, "comet-small", "metric"),
             "qe": lambda o: train_metric(o, "comet-qe-small", "qe")}
    steps |= {name: lambda o, name=name: train_on(o, name) for name in ["length", "quality", "true"]}
    for step in o.steps.split(","):
        steps[step](o)


if __name__ == "__main__":
    main()
