#!/usr/bin/env python3
"""Compares the speed of `nmt translate`, the whole program, with CTranslate2 in Python, in turns on one thread of the CPU.
Needs a Python with ctranslate2, sentencepiece and numpy.

  translate_program.py [--rounds N] [--cells LIST] [--cpu-isa avx2] PROGRAM [PROGRAM ...]

The models have random weights, a vocabulary of made-up words, and an output bias that forbids EOS, so that every
translation takes the same number of steps. A line has a number of words, each of which is a token. A cell is
MODEL:PRECISION:BEAM:LINES:SOURCE:TARGET, such as base:f32:4:96:24:25: LINES lines of SOURCE words, or of 2 to 4 words if
SOURCE is 2-4, translated into TARGET tokens, EOS included. CTranslate2 translates 32 sentences at once; nmt has its usual
settings.

Prints a row for each cell: the CPU seconds of both programs from start to end, and their ratio; then target tokens per CPU
second after loading, for which the time of a run with one line is subtracted, with the ratio and its minimum and maximum.
All are medians over the rounds; ratios are those within a round. Further programs are other builds of nmt. Each gets a row,
which says so if its translations differ from the first one's.
"""
import argparse
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy
import sentencepiece

from peers.ctranslate2_model import convert

PEER = Path(__file__).parent / "peers" / "ctranslate2_text.py"
BATCH = 32  # sentences that CTranslate2 translates at once
# Layers of each side, d_model, d_ff, heads, place of norms, words. opus has the shape of OPUS-MT's models, nllb that of
# NLLB-600M, which takes 8 GB of memory and 5 GB of temporary files.
MODELS = {
    "small": (3, 256, 1024, 4, "pre", 8000),
    "base": (6, 512, 2048, 8, "post", 32000),
    "opus": (6, 512, 2048, 8, "post", 58000),
    "nllb": (12, 1024, 4096, 16, "pre", 256000),
}
CELLS = (
    "base:f32:4:96:24:25,base:f32:1:96:24:25,base:f32:1:96:2-4:25,base:f32:1:480:2-4:25,"
    "base:f32:4:96:2-4:25,base:f32:4:480:2-4:25,opus:f32:4:96:24:25,opus:f32:1:192:24:25"
)
CELLS_AVX2 = "small:int8:4:480:24:25,small:int8:1:960:24:25"


def words(count):
    """As many different words."""
    generator, found = random.Random(1), {}
    while len(found) < count:
        found["".join(generator.choices("abcdefghijklmnoprstuvwz", k=generator.randint(4, 8)))] = None
    return list(found)


def vocabulary_of(text, size):
    """The bytes of a SentencePiece model whose pieces are these words."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text), model_writer=model, model_type="word", vocab_size=size, minloglevel=2
    )
    return model.getvalue()


def matrix(generator, rows, columns):
    limit = (6 / (rows + columns)) ** 0.5
    return generator.uniform(-limit, limit, (rows, columns)).astype(numpy.float32)


def random_tensors(layers, d, d_ff, norm, size):
    """The weights of a model by name; see doc/model-file.md."""
    generator, tensors = numpy.random.default_rng(1), {}

    def add(name, rows, columns):
        tensors[name + "weight"] = matrix(generator, rows, columns)
        tensors[name + "bias"] = numpy.zeros(rows, numpy.float32)

    def add_norm(name):
        tensors[name + ".weight"], tensors[name + ".bias"] = numpy.ones(d, numpy.float32), numpy.zeros(d, numpy.float32)

    for side, attentions in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "multihead_attn"])):
        for layer in (f"{side}.layers.{i}." for i in range(layers)):
            for attention in attentions:
                add(layer + attention + ".in_proj_", 3 * d, d)
                add(layer + attention + ".out_proj.", d, d)
            add(layer + "linear1.", d_ff, d)
            add(layer + "linear2.", d, d_ff)
            for number in range(len(attentions) + 1):
                add_norm(f"{layer}norm{number + 1}")
        if norm == "pre":
            add_norm(side + ".norm")
    tensors["embedding.weight"] = generator.normal(0, d**-0.5, (size, d)).astype(numpy.float32)
    tensors["output.bias"] = numpy.zeros((size,), numpy.float32)
    return tensors


def write_model(path, name):
    """Writes a model file of nmt; returns the words of its vocabulary."""
    layers, d, d_ff, heads, norm, size = MODELS[name]
    text = words(size - 3)  # and <unk>, <s>, </s>
    vocabulary = vocabulary_of(text, size)
    tensors = random_tensors(layers, d, d_ff, norm, size)
    tensors["output.bias"][sentencepiece.SentencePieceProcessor(model_proto=vocabulary).eos_id()] = -1e4
    tensors["vocabulary.shared"] = numpy.frombuffer(vocabulary, numpy.uint8)
    config = f"""model:
  type: transformer
  d_model: {d}
  d_ff: {d_ff}
  heads: {heads}
  encoder_layers: {layers}
  decoder_layers: {layers}
  norm: {norm}
  activation: relu
  tied_embeddings: all
  positions: sinusoidal
  layer_norm_epsilon: 1e-06
  source_vocabulary: {size}
  target_vocabulary: {size}
"""
    header, end = {"__metadata__": {"format": "nmt.model", "format_version": "1", "config": config}}, 0
    for key, tensor in tensors.items():
        kind = {"float32": "F32", "uint8": "U8"}[tensor.dtype.name]
        header[key] = {"dtype": kind, "shape": tensor.shape, "data_offsets": [end, end + tensor.nbytes]}
        end += tensor.nbytes
    encoded = json.dumps(header).encode()
    encoded += b" " * (-(len(encoded) + 8) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(encoded)) + encoded)
        for tensor in tensors.values():
            file.write(tensor.tobytes())
    return text


def lines_of(text, source, count):
    generator = random.Random(2)
    shortest, _, longest = source.partition("-")
    lengths = [generator.randint(int(shortest), int(longest or shortest)) for _ in range(count)]
    return [" ".join(generator.choices(text, k=length)) + "\n" for length in lengths]


def run(command, lines):
    """CPU seconds from start to end, and what the program writes."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output:
        source.write("".join(lines).encode())
        source.seek(0)
        process = subprocess.Popen(list(map(str, command)), stdin=source, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        output.seek(0)
        written = output.read()
    if status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return usage.ru_utime + usage.ru_stime, written


def commands(options, folder, precision, beam, target):
    """Commands that translate standard input: of each build of nmt, and of CTranslate2."""
    settings = ["--precision", precision, "--beam", beam, "--threads", 1, "--quiet", "--cpu-isa", options.cpu_isa]
    settings += ["--max-length-factor", 0, "--max-length-extra", target - 1]  # tokens, without EOS
    for program in options.programs:
        yield program, [program, "translate", "-m", folder / "model.safetensors", *settings]
    yield "CTranslate2", [sys.executable, PEER, folder / "ctranslate2", precision, beam, BATCH, target]


def measure(options, folder, text, cell):
    _, precision, beam, count, source, target = cell.split(":")
    lines = lines_of(text, source, int(count))
    programs = list(commands(options, folder, precision, int(beam), int(target)))
    seconds, speeds, outputs = {}, {}, {}
    for _ in range(options.rounds):
        for name, command in programs:
            run(command, lines[:1])  # the first run after another program may wait until memory is cleared
            loading, _ = run(command, lines[:1])
            whole, outputs[name] = run(command, lines)
            seconds.setdefault(name, []).append(whole)
            speeds.setdefault(name, []).append((len(lines) - 1) * int(target) / (whole - loading))
    theirs = programs[-1][0]
    for name, _ in programs[:-1]:
        whole = median(b / a for a, b in zip(seconds[name], seconds[theirs]))
        ratios = sorted(a / b for a, b in zip(speeds[name], speeds[theirs]))
        ratio = f"{median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})"
        differs = "" if outputs[name] == outputs[programs[0][0]] else ", other translations"
        columns = [f"{cell}{differs}", *(f"{median(seconds[who]):.2f}" for who in (name, theirs)), f"{whole:.2f}"]
        columns += [*(f"{median(speeds[who]):.0f}" for who in (name, theirs)), ratio]
        print("| " + " | ".join(columns) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cells")
    parser.add_argument("--cpu-isa", choices=("auto", "avx2"), default="auto", help="of both programs")
    options = parser.parse_args()
    if options.cpu_isa == "avx2":
        os.environ |= {"CT2_FORCE_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"}
    cells = (options.cells or (CELLS_AVX2 if options.cpu_isa == "avx2" else CELLS)).split(",")
    print("| cell | nmt, s | CTranslate2, s | ratio | nmt, tokens/s | CTranslate2 | ratio |\n|---|--:|--:|--:|--:|--:|--:|")
    for name in dict.fromkeys(cell.split(":")[0] for cell in cells):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            text = write_model(folder / "model.safetensors", name)
            (folder / "ctranslate2").mkdir()
            vocabulary = convert(folder / "model.safetensors", str(folder / "ctranslate2"))
            (folder / "ctranslate2" / "source.spm").write_bytes(vocabulary.serialized_model_proto())
            for cell in cells:
                if cell.startswith(name + ":"):
                    measure(options, folder, text, cell)


if __name__ == "__main__":
    main()
