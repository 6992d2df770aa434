#!/usr/bin/env python3
"""The counterpart of bench_translate_steps in CTranslate2: a Transformer with random weights, sentences of random tokens.
A worker for alternate.py.

  ctranslate2_transformer.py PRESET VOCABULARY BEAM SENTENCES PRECISION [cpu [THREADS [SOURCE TARGET]]]

With a BEAM of 0, translations are sampled. SOURCE and TARGET are the tokens of sentences and translations, EOS included
(25). PRECISION is f32, bf16, f16 or int8; it fails if CTranslate2 would compute in another one. Several threads each
translate their own sentences, or share a single sentence.
"""
import random
import sys
import tempfile
import time

import ctranslate2
import numpy
from ctranslate2.specs import Activation, TransformerSpec

TOKENS, SPECIAL_TOKENS = 25, ["<unk>", "<s>", "</s>"]
PRESETS = {  # layers, d_model, d_ff, heads, whether norms stand before sub-layers
    "transformer-tiny": (2, 128, 512, 4, True),
    "transformer-small": (3, 256, 1024, 4, True),
    "transformer-base": (6, 512, 2048, 8, False),
    "transformer-big": (6, 1024, 4096, 16, False),
}
TYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16", "int8": "int8"}


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


def random_model(layers, d, d_ff, heads, pre_norm, vocabulary):
    generator = numpy.random.default_rng(1)
    spec = TransformerSpec.from_config((layers, layers), heads, pre_norm=pre_norm, activation=Activation.RELU)
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
    if pre_norm:
        fill_norm(spec.encoder.layer_norm, d)
        fill_norm(spec.decoder.layer_norm, d)
    spec.decoder.projection.weight = table
    spec.decoder.projection.bias = numpy.zeros(vocabulary, numpy.float32)
    pieces = SPECIAL_TOKENS + [f"t{i}" for i in range(vocabulary - len(SPECIAL_TOKENS))]
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = SPECIAL_TOKENS
    spec.config.decoder_start_token = SPECIAL_TOKENS[1]
    spec.validate()
    return spec


def translator_of(preset, vocabulary, precision, device, threads, sentences):
    kind = TYPES[precision]
    if kind not in ctranslate2.get_supported_compute_types(device):
        sys.exit(f"{precision}: CTranslate2 does not compute in it here")
    together = threads if sentences == 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        random_model(*PRESETS[preset], vocabulary).save(folder)
        return ctranslate2.Translator(
            folder, device=device, compute_type=kind, inter_threads=threads // together, intra_threads=together
        )


def main():
    preset, vocabulary, beam, sentences, precision = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
    device, threads, source, target = (sys.argv[6:] + ["cuda", "1", TOKENS, TOKENS][len(sys.argv) - 6 :])[:4]
    source, target = int(source), int(target)
    translator = translator_of(preset, vocabulary, precision, device, int(threads), sentences)
    search = {"beam_size": beam} if beam > 0 else {"beam_size": 1, "sampling_topk": 0}
    random.seed(1)
    for line in sys.stdin:
        text = [
            [f"t{random.randrange(vocabulary - len(SPECIAL_TOKENS))}" for _ in range(source - 1)] + [SPECIAL_TOKENS[2]]
            for _ in range(int(line) * sentences)
        ]
        wall, cpu = time.monotonic(), time.process_time()
        found = translator.translate_batch(
            text, max_batch_size=sentences, min_decoding_length=target, max_decoding_length=target, **search
        )
        tokens = sum(len(result.hypotheses[0]) for result in found)
        print(tokens, time.monotonic() - wall, time.process_time() - cpu, flush=True)


if __name__ == "__main__":
    main()
