#!/usr/bin/env python3
"""Measures the filters of nmt batch on text with planted noise: filters.py NMT SOURCE TARGET --vocab FILE --languages en,de

The files are parallel text. Each kind of noise replaces one pair in fifty, in lines drawn by the seed, except for near
duplicates, which are added. Each filter runs alone. A pair that it drops counts as right if it has noise that the filter is
for. Precision is therefore a lower bound: text has noise of its own. Speed is in pairs per second of CPU time (one thread).
"""
import argparse
import os
import random
import re
import resource
import subprocess
import tempfile

# Options of each filter, and the kinds of noise that it is for.
FILTERS = {
    "--languages {languages}": ("swapped", "source copied", "third language"),
    "--max-copied 0.6": ("source copied", "most words copied"),
    "--match-numbers": ("number changed",),
    "--drop-near-duplicates": ("near duplicate",),
    "--max-character-ratio 3": ("cut",),
    "--min-letters 0.5": ("signs",),
    "--languages {languages} --min-language 0 --min-script 0.8": ("other script",),
}
OFF = ["--max-ratio", "0", "--no-drop-identical"]
THIRD = "La commission a adopté le texte que les deux pays voisins avaient proposé la semaine dernière".split()
RUSSIAN = "Комиссия приняла документ который обе соседние страны предложили на прошлой неделе".split()


def planted(kind, source, target, draw):
    """Returns the pair with noise; nothing where the pair does not allow it."""
    words = source.split()
    if kind == "swapped":
        return target, source
    if kind == "source copied":
        return source, source
    if kind == "most words copied":
        if len(words) < 6:
            return None
        kept = [word for word in words if draw.random() < 0.85]
        return source, " ".join(kept + target.split()[:1])
    if kind == "third language":
        return source, " ".join(draw.sample(THIRD, min(len(THIRD), max(6, len(words)))))
    if kind == "other script":
        return source, " ".join(draw.sample(RUSSIAN, min(len(RUSSIAN), max(6, len(words)))))
    if kind == "number changed":
        number = re.search(r"\d+", target)
        if number is None or not re.search(r"\d", source):
            return None
        return source, target[:number.start()] + str(int(number[0]) + 3) + target[number.end():]
    if kind == "cut":
        return (source, " ".join(target.split()[:2])) if len(words) > 12 else None
    if kind == "signs":
        return source, "".join(c if c == " " or draw.random() < 0.3 else draw.choice("#*-|=") for c in target)
    raise KeyError(kind)


def near_duplicate(source, target, draw):
    """Returns a pair that differs in case, digits or punctuation."""
    change = draw.choice([str.upper, str.title, lambda text: text + " 7", lambda text: "- " + text.rstrip(".")])
    return change(source), change(target)


def with_noise(pairs, draw):
    """Returns pairs with noise, and the kind of each; empty: none."""
    kinds = [kind for kind in sorted({kind for kinds in FILTERS.values() for kind in kinds}) if kind != "near duplicate"]
    text, labels = list(pairs), [""] * len(pairs)
    for kind in kinds:
        left = len(pairs) // 50
        for i in draw.sample(range(len(pairs)), len(pairs)):
            if left == 0:
                break
            noisy = planted(kind, *pairs[i], draw) if not labels[i] else None
            if noisy and noisy != pairs[i]:
                text[i], labels[i], left = noisy, kind, left - 1
    clean = [i for i, label in enumerate(labels) if not label]
    for i in draw.sample(clean, len(pairs) // 50):
        text.append(near_duplicate(*pairs[i], draw))
        labels.append("near duplicate")
    return text, labels


def run(nmt, source, target, vocab, options):
    """Runs nmt batch without output; returns the numbers of the dropped lines, and its CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = subprocess.run([nmt, "batch", "--source", source, "--target", target, "--vocab", vocab, "--dry-run", "--threads",
                            "1", "--quiet", *OFF, *options], check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = {int(number) - 1 for number in re.findall(r"^line (\d+)", shown, re.M)}
    return lines, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nmt")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--vocab", required=True)
    parser.add_argument("--languages", required=True)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3, help="of the measurement of speed")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    with open(arguments.source, encoding="utf-8") as source, open(arguments.target, encoding="utf-8") as target:
        pairs = [(a.strip(), b.strip()) for a, b in zip(source, target)]
    text, labels = with_noise(draw.sample(pairs, min(arguments.pairs, len(pairs))), draw)
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("source", "target")]
        for side, path in enumerate(files):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(pair[side] + "\n" for pair in text)

        def of(options):
            return run(arguments.nmt, *files, arguments.vocab, options)

        print(f"{len(text)} pairs, of which {sum(map(bool, labels))} have noise\n")
        print(f"{'filter':58}  {'planted':>7}  {'recall':>7}  {'precision':>9}  {'other pairs dropped':>19}  {'pairs/s':>8}")
        chosen = [option.format(languages=arguments.languages) for option in FILTERS]
        seconds = {option: [] for option in ["", *chosen, " ".join(chosen[:6])]}
        for _ in range(arguments.rounds):
            for option, times in seconds.items():
                times.append(of(option.split())[1])
        speed = {option: len(text) / sorted(times)[len(times) // 2] for option, times in seconds.items()}
        for option, kinds in zip(chosen, FILTERS.values()):
            dropped, _ = of([*option.split(), "--examples", str(len(text))])
            wanted = {i for i, label in enumerate(labels) if label in kinds}
            clean = sum(1 for i in dropped if not labels[i])
            right = len(wanted & dropped)
            print(f"{option:58}  {len(wanted):7}  {100 * right / len(wanted):5.1f} %  "
                  f"{100 * right / max(right + clean, 1):7.1f} %  {clean:19}  {speed[option]:8.0f}")
            for kind in kinds:
                of_kind = {i for i in wanted if labels[i] == kind}
                if len(kinds) > 1:
                    print(f"  {kind:56}  {len(of_kind):7}  {100 * len(of_kind & dropped) / len(of_kind):5.1f} %")
        print(f"{'none':58}  {'':7}  {'':7}  {'':9}  {'':19}  {speed['']:8.0f}")
        print(f"{'the first six':58}  {'':7}  {'':7}  {'':9}  {'':19}  {speed[' '.join(chosen[:6])]:8.0f}")


main()
