#!/usr/bin/env python3
"""Counts the instructions that nmt and CTranslate2 execute on AArch64 to translate a text, in qemu, without an ARM machine.

usage: arm_instructions.py --model MODEL --peer FOLDER --text FILE --python COMMAND [--lines N] [--steps N]

MODEL is a model with a vocabulary of words, FOLDER the same for CTranslate2 (nmt convert --to ctranslate2), and COMMAND runs
a Python for AArch64 that has CTranslate2, such as "qemu-aarch64 -L ROOT -E PYTHONPATH=... ROOT/usr/bin/python3". nmt is the
build of preset arm64. Both search with beam 4 and one thread for exactly as many tokens per line as --steps says, which an
untrained model does not end earlier. What a text of one line takes is subtracted, so that only translating counts.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PEER = """
import sys, ctranslate2
folder, precision, text, steps = sys.argv[1:]
translator = ctranslate2.Translator(folder, compute_type=precision, inter_threads=1, intra_threads=1)
lines = [line.split() + ["</s>"] for line in open(text)]
results = translator.translate_batch(lines, beam_size=4, max_batch_size=32, max_decoding_length=int(steps),
                                     min_decoding_length=int(steps), length_penalty=1)
print(sum(len(r.hypotheses[0]) for r in results))
"""
PRECISIONS = {"f32": "float32", "int8": "int8"}


def counted(plugin, processor, command, stdin=None):
    """Returns the number of instructions that a command executes."""
    environment = {**os.environ, "QEMU_CPU": processor, "QEMU_PLUGIN": plugin, "QEMU_LOG": "plugin", "OMP_NUM_THREADS": "1"}
    with open(stdin or os.devnull, encoding="utf-8") as text:
        run = subprocess.run(command, stdin=text, capture_output=True, text=True, env=environment, check=False)
    if run.returncode != 0:
        sys.exit(f"{shlex.join(command)}: {run.stderr}")
    return int(re.search(r"instructions: (\d+)", run.stderr)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "peer", "text", "python"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--lines", type=int, default=9)
    parser.add_argument("--steps", type=int, default=24)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plugin = f"{folder}/count.so"
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", plugin, HERE / "count_instructions.c"], check=True)
        lines = pathlib.Path(options.text).read_text(encoding="utf-8").splitlines()[: options.lines]
        texts = [f"{folder}/one", f"{folder}/all"]
        for path, part in zip(texts, (lines[:1], lines)):
            pathlib.Path(path).write_text("".join(line + "\n" for line in part), encoding="utf-8")

        def difference(command):
            first, whole = (command(text) for text in texts)
            return (whole - first) / (len(lines) - 1) / 1e6

        print("| millions of instructions per line | nmt | CTranslate2 | nmt / CTranslate2 |\n|---|--:|--:|--:|")
        for processor in ("neoverse-n1", "max"):
            for precision, name_there in PRECISIONS.items():
                ours = difference(lambda text: counted(
                    plugin, processor,
                    [str(HERE / "../regression-tests/arm64-nmt"), "translate", "-m", options.model, "--precision", precision,
                     "--beam", "4", "--threads", "1", "--max-length-factor", "0", "--max-length-extra", str(options.steps),
                     "--min-length", str(options.steps), "--quiet"], text))
                theirs = difference(lambda text: counted(
                    plugin, processor, [*shlex.split(options.python), "-c", PEER, options.peer, name_there, text, str(options.steps)]))
                print(f"| {processor}, {precision} | {ours:.0f} | {theirs:.0f} | {ours / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
