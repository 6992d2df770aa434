#!/usr/bin/env python3
"""Compares augmentation by nmt and by OpusTrainer: what they change, and their speed.

bench/augmentation.py [--program build/bench/bench_augment_text] TEXT.tsv VOCABULARY

TEXT.tsv has the columns source, target and alignment of words. Needs `pip install opustrainer`, whose modifiers run in this
process, as they do in its workers. Prints a line for each modifier and program:
changed       share of the lines whose source or target differs from the original
words         share of their source words that differ from those of the original, counted as a bag
lines/s       lines per second of CPU time that it takes to change them
feed          for nmt, also with reading and dividing them into tokens: all that comes before batches
packed        for nmt, the same from a packed corpus, where only changed lines are divided into tokens
The last lines are about the modifiers that are usual for students together, and about all of OpusTrainer: it reads,
shuffles, changes and writes lines with one worker, and CPU time is that of all of its processes.
"""
import argparse
import collections
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

from opustrainer.modifiers.merge import MergeModifier
from opustrainer.modifiers.noise import NoiseModifier
from opustrainer.modifiers.placeholders import PlaceholderTagModifier
from opustrainer.modifiers.punctuation import RemoveEndPunctuationModifier
from opustrainer.modifiers.surface import TitleCaseModifier, UpperCaseModifier
from opustrainer.modifiers.typos import TypoModifier

BATCH = 100  # lines that OpusTrainer reads at a time
CASES = [
    ("none", "upper=0", []),
    ("upper case", "upper=0.05", [UpperCaseModifier(0.05)]),
    ("title case", "title=0.05", [TitleCaseModifier(0.05)]),
    ("typing errors", "typo=0.05", [TypoModifier(0.05)]),
    ("end punctuation", "strip-end=0.05", [RemoveEndPunctuationModifier(0.05)]),
    ("merged lines", "merge=0.05", [MergeModifier(0.05)]),
    ("noise lines", "noise=0.05", [NoiseModifier(0.05)]),
    ("inline noise", "copy=0.005", [PlaceholderTagModifier(0.005, augment=1, tag=0)]),
]
STUDENT = "upper=0.07,title=0.05,typo=0.05,noise=0.0005,copy=0.005"
STUDENT_MODIFIERS = """
- UpperCase: 0.07
- TitleCase: 0.05
- Typos: 0.05
- Noise: 0.0005
- Tags: 0.005
  augment: 1
  tag: 0
"""


def by_opustrainer(modifiers, lines):
    random.seed(1)
    begin = time.process_time()
    changed = []
    for first in range(0, len(lines), BATCH):
        batch = lines[first : first + BATCH]
        for modifier in modifiers:
            batch = list(modifier(batch))
        changed += batch
    return changed, len(lines) / (time.process_time() - begin)


def by_nmt(program, text, vocabulary, rates):
    result = subprocess.run([program, text, vocabulary, rates], capture_output=True, text=True, check=True)
    return result.stdout.split("\n")[:-1], *map(float, result.stderr.split())


def effect(changed, lines):
    """Returns the shares of lines and of their source words that are not in the original."""
    sides = [line.split("\t")[:2] for line in lines]
    originals = {tuple(" ".join(side.split()) for side in pair) for pair in sides}
    words = collections.Counter(word for source, _ in sides for word in source.split())
    others = [pair for pair in (line.split("\t")[:2] for line in changed)
              if tuple(" ".join(side.split()) for side in pair) not in originals]
    new, count = 0, 0
    for source, _ in others:
        for word in source.split():
            count += 1
            new += word not in words
    return len(others) / len(changed), new / max(count, 1)


def all_of_opustrainer(text, lines):
    """Returns lines per second of CPU time and of wall time."""
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "config.yml")
        config.write_text(f"datasets:\n  text: {pathlib.Path(text).resolve()}\nstages:\n- only\nonly:\n- text 1.0\n- until text 2\n"
                          f"seed: 1\nnum_fields: 3\nmodifiers:\n{STUDENT_MODIFIERS}")
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        output = pathlib.Path(folder, "output")
        subprocess.run([sys.executable, "-m", "opustrainer", "--config", config, "--workers", "1", "--do-not-resume",
                        "--log-level", "ERROR", "sh", "-c", f"cat > {output}"], check=True, stderr=subprocess.DEVNULL)
        after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begin
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        written = sum(1 for _ in output.open(encoding="utf-8"))
    return written / cpu, written / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bench/bench_augment_text")
    parser.add_argument("text")
    parser.add_argument("vocabulary")
    arguments = parser.parse_args()
    lines = pathlib.Path(arguments.text).read_text(encoding="utf-8").split("\n")[:-1]
    print(f"{'':16} {'nmt':>9}{'':44}   {'OpusTrainer':>11}\n"
          f"{'':16} {'changed':>9} {'words':>9} {'lines/s':>10} {'feed':>10} {'packed':>10}   {'changed':>9} {'words':>9} {'lines/s':>10}")
    for name, rates, modifiers in CASES:
        ours, of_text, feed, packed = by_nmt(arguments.program, arguments.text, arguments.vocabulary, rates)
        theirs, speed = by_opustrainer(modifiers, lines)
        (changed, words), (their_changed, their_words) = effect(ours, lines), effect(theirs, lines)
        print(f"{name:16} {changed:9.2%} {words:9.1%} {of_text:10.0f} {feed:10.0f} {packed:10.0f}   {their_changed:9.2%} {their_words:9.1%} {speed:10.0f}")
    ours, of_text, feed, packed = by_nmt(arguments.program, arguments.text, arguments.vocabulary, STUDENT)
    cpu, wall = all_of_opustrainer(arguments.text, lines)
    changed, words = effect(ours, lines)
    print(f"{'for students':16} {changed:9.2%} {words:9.1%} {of_text:10.0f} {feed:10.0f} {packed:10.0f}\n"
          f"all of OpusTrainer: {cpu:.0f} lines per second of CPU time, {wall:.0f} of wall time; in CPU time, nmt is "
          f"{of_text / cpu:.1f} times as fast in changing text, {feed / cpu:.1f} times with division into tokens, and "
          f"{packed / cpu:.1f} times from a packed corpus")


if __name__ == "__main__":
    main()
