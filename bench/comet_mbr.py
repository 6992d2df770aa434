#!/usr/bin/env python3
"""Compares minimum Bayes risk decoding by COMET in nmt with comet-mbr of unbabel-comet, on one thread.

Both get the same candidates of each source, encode each of them once and score all pairs; the model has random weights and
the shape of XLM-RoBERTa large, unless --shape says otherwise. comet-mbr itself needs a GPU, so its two functions are called
on the CPU, in f32. Candidates are the translation of the source with some words removed or exchanged. Each figure is CPU
time for a source, without opening the model; both programs should choose the same candidates.

Needs the package unbabel-comet, and the program bench_comet_mbr of the build (-DNMT_BENCHMARKS=ON).
"""
import random
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

import torch
from comet import load_from_checkpoint
from comet.cli.mbr import build_embeddings, mbr_decoding
from comet_beside import arguments_of_models, write_model


def candidates_of(line, count, numbers):
    """Different variants of a translation."""
    found, words = [line], line.split()
    while len(found) < count:
        own = words[:]
        for _ in range(numbers.randint(1, 3)):
            i, j = numbers.randrange(len(own)), numbers.randrange(len(own))
            own[i], own[j] = own[j], own[i]
            if len(own) > 3 and numbers.random() < 0.5:
                del own[i]
        found.append(" ".join(own))
    return found


def main():
    parser = arguments_of_models(__doc__)
    parser.add_argument("--program", required=True, help="bench_comet_mbr")
    parser.add_argument("--source", required=True, type=Path, help="a text, one segment per line")
    parser.add_argument("--translations", required=True, type=Path, help="its translation")
    parser.add_argument("--segments", type=int, default=3)
    parser.add_argument("--candidates", type=int, default=64)
    options = parser.parse_args()
    torch.set_num_threads(1)
    numbers = random.Random(1)
    sources = options.source.read_text().splitlines()[: options.segments]
    lines = options.translations.read_text().splitlines()[: options.segments]
    candidates = [candidates_of(line, options.candidates, numbers) for line in lines]
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        folder = Path(work, "comet")
        write_model("comet", folder, options)
        (folder / "sources").write_text("".join(source + "\n" for source in sources))
        (folder / "candidates").write_text("".join(line + "\n" for own in candidates for line in own))
        programs = {}
        for precision in options.precisions:
            programs[precision] = folder / f"{precision}.safetensors"
            command = [options.nmt, "convert", folder, "--precision", precision, "-o", programs[precision], "--quiet"]
            subprocess.run(command, check=True)
        model = load_from_checkpoint(str(folder / "checkpoints/model.ckpt"), local_files_only=True).eval()
        theirs = []
        for source, own in zip(sources, candidates):
            start = time.process_time()
            vectors = build_embeddings([source], own, model, 32)
            scores = mbr_decoding(vectors[0], vectors[1].reshape(1, len(own), -1), model)[0]
            theirs.append((time.process_time() - start, int(torch.argmax(scores))))
        del model
        print(f"comet-mbr f32\t{median(seconds for seconds, _ in theirs):.2f} s for a source")
        for precision, file in programs.items():
            command = [options.program, file, precision, "1", folder / "sources", folder / "candidates", str(options.candidates)]
            found = [line.split() for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()]
            ratios = sorted(seconds / float(own[2]) for own, (seconds, _) in zip(found, theirs))
            equal = sum(int(own[0]) == best for own, (_, best) in zip(found, theirs))
            print(f"nmt {precision}\t{median(float(own[2]) for own in found):.2f} s, {median(ratios):.2f} times as fast "
                  f"({ratios[0]:.2f} to {ratios[-1]:.2f}); {equal} of {len(found)} choices are equal")


if __name__ == "__main__":
    main()
