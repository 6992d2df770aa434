#!/usr/bin/env python3
"""Learns a vocabulary, trains a small model for a minute, translates, scores, and draws loss and attention.

usage: first_steps.py TRAIN.src TRAIN.tgt TEST.src TEST.tgt FOLDER [SETTING=VALUE ...]

Settings are those of `nmt train`, as in steps=2000 d_model=256. Pictures need matplotlib.
"""

import sys
from pathlib import Path

import nmt


def train(source, target, folder, settings):
    nmt.Vocabulary.train([source, target], folder / "shared.spm", size=settings.pop("size", 4000))
    return nmt.train(folder / "run", source=source, target=target, vocab=folder / "shared.spm",
                     **{"preset": "transformer-tiny", "steps": 400, "warmup": 200, "batch_tokens": 2000, "log_every": 20,
                        **settings},
                     callback=lambda row: print(f"update {row['step']}: perplexity {row['perplexity']:.1f}"))


def draw(run, translator, source, translation, folder):
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    metrics = run.metrics()
    figure, (loss, attention) = pyplot.subplots(1, 2, figsize=(12, 5))
    loss.plot(metrics["step"], metrics["loss"])
    loss.set(xlabel="updates", ylabel="loss")
    attention.imshow(translator.align(source, translation), cmap="Blues")
    for axis, text in (attention.xaxis, source), (attention.yaxis, translation):
        words = [word.decode() for word in text.encode().split()]  # bytes, unlike str, split only at ASCII white space
        axis.set_ticks(range(len(words) + 1), [*words, "EOS"])
    pyplot.setp(attention.get_xticklabels(), rotation=60, ha="right")
    figure.tight_layout()
    figure.savefig(folder / "first_steps.png")


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    paths, folder = [Path(path) for path in sys.argv[1:5]], Path(sys.argv[5])
    folder.mkdir(parents=True, exist_ok=True)
    run = train(paths[0], paths[1], folder, dict(setting.split("=", 1) for setting in sys.argv[6:]))
    sources, references = (path.read_text(encoding="utf-8").splitlines() for path in paths[2:])
    translator = nmt.Translator(run.path)
    translations = [translation.text for translation in translator.translate(sources)]
    print(sources[0], "->", translations[0])
    print(nmt.metrics.bleu(translations, references).text(1))
    try:
        draw(run, translator, sources[0], translations[0], folder)
        print("wrote", folder / "first_steps.png")
    except ImportError:
        print("no pictures; pip install matplotlib to get them")


if __name__ == "__main__":
    main()
