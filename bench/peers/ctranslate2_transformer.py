#!/usr/bin/env python3
"""The peer of bench_translate_steps in CTranslate2: a Transformer of random weights, sentences of random tokens, all
translations as long as their sources. A worker for alternate.py.

  ctranslate2_transformer.py PRESET VOCABULARY BEAM SENTENCES PRECISION [cpu]     PRECISION: f32, bf16 or f16
"""
import random
import sys
import tempfile
import time

import ctranslate2
import numpy
from ctranslate2.specs import Activation, TransformerSpec

TOKENS, MARKS = 25, ["<unk>", "<s>", "</s>"]
PRESETS = {  # layers, d_model, d_ff, heads
    "transformer-tiny": (2, 128, 512, 4),
    "transformer-base": (6, 512, 2048, 8),
    "transformer-big": (6, 1024, 4096, 16),
}


def fill(linear, rows, columns, generator):
    limit = (6 / (rows + columns)) ** 0.5
    linear.weight = generator.uniform(-limit, limit, (rows, columns)).astype(numpy.float32)
    linear.bias = numpy.zeros(rows, numpy.float32)


def fill_norm(norm, d):
    norm.gamma, norm.beta = numpy.ones(d, numpy.float32), numpy.zeros(d, numpy.float32)


def fill_attention(attention, d, is_self, generator):
    for linear, rows in zip(attention.linear, (3 * d, d) if is_self else (d, 2 * d, d)):
        fill(linear, rows, d, generator)
    fill_norm(attention.layer_norm, d)


def random_model(layers, d, d_ff, heads, vocabulary):
    generator = numpy.random.default_rng(1)
    spec = TransformerSpec.from_config((layers, layers), heads, pre_norm=False, activation=Activation.RELU)
    table = generator.normal(0, d**-0.5, (vocabulary, d)).astype(numpy.float32)
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = table
    spec.encoder.scale_embeddings = spec.decoder.scale_embeddings = True
    for side in (spec.encoder, spec.decoder):
        side.position_encodings.encodings = generator.uniform(-1, 1, (256, d)).astype(numpy.float32)
        for layer in side.layer:
            fill_attention(layer.self_attention, d, True, generator)
            if side is spec.decoder:
                fill_attention(layer.attention, d, False, generator)
            fill(layer.ffn.linear_0, d_ff, d, generator)
            fill(layer.ffn.linear_1, d, d_ff, generator)
            fill_norm(layer.ffn.layer_norm, d)
    spec.decoder.projection.weight = table
    spec.decoder.projection.bias = numpy.zeros(vocabulary, numpy.float32)
    pieces = MARKS + [f"t{i}" for i in range(vocabulary - len(MARKS))]
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = MARKS
    spec.config.decoder_start_token = MARKS[1]
    spec.validate()
    return spec


def main():
    preset, vocabulary, beam, sentences, precision = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
    kind = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}[precision]
    with tempfile.TemporaryDirectory() as folder:
        random_model(*PRESETS[preset], vocabulary).save(folder)
        translator = ctranslate2.Translator(folder, device=sys.argv[6] if len(sys.argv) > 6 else "cuda", compute_type=kind)
    random.seed(1)
    for line in sys.stdin:
        wall, cpu, tokens = time.monotonic(), time.process_time(), 0
        for _ in range(int(line)):
            text = [[f"t{random.randrange(vocabulary - len(MARKS))}" for _ in range(TOKENS - 1)] + [MARKS[2]] for _ in range(sentences)]
            found = translator.translate_batch(text, beam_size=beam, min_decoding_length=TOKENS, max_decoding_length=TOKENS)
            tokens += sum(len(result.hypotheses[0]) for result in found)
        print(tokens, time.monotonic() - wall, time.process_time() - cpu, flush=True)


if __name__ == "__main__":
    main()
