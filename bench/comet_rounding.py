#!/usr/bin/env python3
"""Measures by how much rounding changes the scores of a COMET model, and which part of the model is the cause.

A regression model with random weights and the given shape scores a text by unbabel-comet, in f32 and with one part of the
encoder rounded at a time: words, weights and inputs of products in the way nmt rounds them (8 bits, a scale for each row).
The output has the largest difference of a score from f32, the mean of the differences, and the largest one without this
mean. With --nmt, it also has the differences of nmt, and with --peers those of PyTorch's own int8 and bf16.

Needs the package unbabel-comet.
"""
import copy
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from comet import load_from_checkpoint
from comet_beside import arguments_of_models, write_model

PRODUCTS = {"queries, keys, values": ("query", "key", "value"), "attention outputs": ("attention.output.dense",),
            "first feed-forward layers": ("intermediate.dense",), "second feed-forward layers": ("output.dense",)}


def int8(rows):
    scale = rows.abs().amax(-1, keepdim=True).clamp_min(1e-30) / 127
    return torch.round(rows / scale) * scale


def bf16(rows):
    return rows.bfloat16().float()


def product_of(name):
    """Which of PRODUCTS a layer of the encoder computes."""
    found = [kind for kind, ends in PRODUCTS.items() if "encoder.layer" in name and name.endswith(ends)]
    return found[0] if found else None


def rounded(model, words=None, weights=None, inputs=None, products=tuple(PRODUCTS)):
    """A copy of a model that rounds words, and weights and inputs of products, by these functions."""
    model = copy.deepcopy(model)
    for name, module in model.named_modules():
        with torch.no_grad():
            if words and name.endswith("word_embeddings"):
                module.weight.copy_(words(module.weight))
            if weights and product_of(name) in products:
                module.weight.copy_(weights(module.weight))
        if inputs and product_of(name) in products:
            module.register_forward_pre_hook(lambda _, given: (inputs(given[0]),))
    return model


def scores(model, segments):
    with torch.inference_mode():
        found = model.predict(segments, batch_size=16, gpus=0, num_workers=0, progress_bar=False)
    return torch.tensor(found.scores, dtype=torch.float64)


def scores_of_nmt(nmt, folder, precision):
    command = [nmt, "bleu", folder / "ref", "-m", "comet", "--comet", folder, "--source", folder / "src", "-i", folder / "mt"]
    command += ["--precision", precision, "--sentence-level", "--score-only", "-w", "7", "--quiet"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return torch.tensor([float(line) for line in lines], dtype=torch.float64)


def report(name, found, expected):
    difference = found - expected
    mean = difference.mean()
    print(f"{name}\t{difference.abs().max():.6f}\t{mean:.6f}\t{(difference - mean).abs().max():.6f}", flush=True)


def main():
    parser = arguments_of_models(__doc__)
    for side in ("source", "translations", "references"):
        parser.add_argument(f"--{side}", required=True, type=Path, help="a text, one segment per line")
    parser.add_argument("--segments", type=int, default=40)
    parser.add_argument("--peers", action="store_true", help="also measure PyTorch's own int8 and bf16")
    options = parser.parse_args()
    torch.manual_seed(1)
    texts = (options.source, options.translations, options.references)
    lines = [path.read_text().splitlines()[: options.segments] for path in texts]
    segments = [dict(zip(("src", "mt", "ref"), line)) for line in zip(*lines)]
    with TemporaryDirectory(dir=options.work) as work:
        folder = Path(work, "comet")
        write_model("comet", folder, options)
        for side, text in zip(("src", "mt", "ref"), lines):
            (folder / side).write_text("".join(line + "\n" for line in text))
        model = load_from_checkpoint(str(folder / "checkpoints/model.ckpt"), local_files_only=True).eval()
        expected = scores(model, segments)
        print(f"standard deviation of the scores\t{expected.std():.3f}\nrounded\tlargest\tmean\tlargest without the mean")
        for precision in options.precisions:
            report(f"nmt, {precision}", scores_of_nmt(options.nmt, folder, precision), expected)
    if options.peers:
        dynamic = copy.deepcopy(model)
        dynamic.encoder = torch.ao.quantization.quantize_dynamic(dynamic.encoder, {torch.nn.Linear}, dtype=torch.qint8)
        report("PyTorch, dynamic int8", scores(dynamic, segments), expected)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            report("PyTorch, bf16", scores(model, segments), expected)
    variants = {"words in bf16": {"words": bf16}, "weights in bf16": {"weights": bf16}, "words in int8": {"words": int8},
                "weights in int8": {"weights": int8}, "inputs in int8": {"inputs": int8}}
    for kind in PRODUCTS:
        variants[f"{kind} in int8"] = {"weights": int8, "inputs": int8, "products": (kind,)}
    for name, parts in variants.items():
        report(name, scores(rounded(model, **parts), segments), expected)


if __name__ == "__main__":
    main()
