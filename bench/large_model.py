#!/usr/bin/env python3
"""Makes a large model in the layout of Hugging Face transformers, with random weights and made-up pieces, to measure
the time and memory that large models take.

  large_model.py SMALL SHAPE FOLDER

SMALL is the folder of a small model of the same kind, whose tensors, layers and vocabulary are enlarged to SHAPE:
nllb-600m, nllb-3.3b (from an NLLB model with sentencepiece.bpe.model), or madlad-3b (from a T5 model with
tokenizer.json). The weights are f32, in shards of 2 GB. Takes numpy and sentencepiece.
"""
import json
import random
import re
import shutil
import sys
from pathlib import Path

import numpy as np

SHAPES = {
    "nllb-600m": {"d_model": 1024, "ffn": 4096, "heads": 16, "layers": 12, "vocab_size": 256206},
    "nllb-3.3b": {"d_model": 2048, "ffn": 8192, "heads": 16, "layers": 24, "vocab_size": 256206},
    "madlad-3b": {"d_model": 1024, "ffn": 8192, "heads": 16, "layers": 32, "vocab_size": 256000, "d_kv": 128},
}
SHARD_BYTES = 2 << 30
NAMES = {  # of the configurations, by those of SHAPES
    "ffn": ["d_ff", "encoder_ffn_dim", "decoder_ffn_dim"],
    "heads": ["num_heads", "encoder_attention_heads", "decoder_attention_heads"],
    "layers": ["num_layers", "num_hidden_layers", "num_decoder_layers", "encoder_layers", "decoder_layers"],
}


def read_header(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    header.pop("__metadata__", None)
    return {name: entry["shape"] for name, entry in header.items()}


def enlarged_config(config, shape):
    large = dict(config)
    for key, value in shape.items():
        for name in NAMES.get(key, [key]):
            if name in config:
                large[name] = value
    return large


def layer_of(name):
    return re.search(r"\.(layers|block)\.(\d+)\.", name)


def enlarged_tensors(small, config, large):
    """The names and shapes of all tensors of the large model."""
    inner = {config.get("d_kv", 0) * config.get("num_heads", 0): large.get("d_kv", 0) * large.get("num_heads", 0)}
    ffn, vocabulary = config.get("d_ff", config.get("encoder_ffn_dim")), config["vocab_size"]
    sizes = {
        **inner,
        config["d_model"]: large["d_model"],
        ffn: large.get("d_ff", large.get("encoder_ffn_dim")),
        vocabulary: large["vocab_size"],
    }
    layers = large.get("num_layers", large.get("encoder_layers"))
    for name, shape in small.items():
        if "relative_attention_bias" in name:
            yield name, [shape[0], large["num_heads"]]
            continue
        shape = [sizes[size] for size in shape]
        layer = layer_of(name)
        if layer is None:
            yield name, shape
        elif layer[2] == "1":  # the first layer of T5 has more tensors than the others
            for number in range(1, layers):
                yield name.replace(f"{layer[1]}.1.", f"{layer[1]}.{number}.", 1), shape
        elif layer[2] == "0":
            yield name, shape


def shards(tensors):
    shard, size = [], 0
    for name, shape in tensors:
        count = 4 * int(np.prod(shape))
        if shard and size + count > SHARD_BYTES:
            yield shard
            shard, size = [], 0
        shard.append((name, shape, count))
        size += count
    yield shard


def write_weights(folder, tensors):
    parts = list(shards(tensors))
    generator = np.random.default_rng(1)
    noise = generator.standard_normal(1 << 22, dtype=np.float32) * 0.03
    index = {}
    for number, shard in enumerate(parts, 1):
        file_name = f"model-{number:05}-of-{len(parts):05}.safetensors"
        header, at = {}, 0
        for name, shape, count in shard:
            header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + count]}
            index[name] = file_name
            at += count
        text = json.dumps(header).encode()
        with open(folder / file_name, "wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for name, shape, count in shard:
                left = count // 4
                while left > 0:
                    begin = int(generator.integers(0, len(noise) // 2))
                    block = noise[begin : begin + left]
                    file.write((block + 1 if len(shape) == 1 and name.endswith("weight") else block).tobytes())
                    left -= len(block)
    total = sum(4 * int(np.prod(shape)) for _, shape in tensors)
    listing = {"metadata": {"total_size": total}, "weight_map": index}
    (folder / "model.safetensors.index.json").write_text(json.dumps(listing))


def made_up_pieces(count, known):
    letters = random.Random(1)
    pieces = []
    while len(pieces) < count:
        piece = "\u2581" + "".join(letters.choices("abcdefghijklmnoprstuvwz", k=8))
        if piece not in known:
            known.add(piece)
            pieces.append(piece)
    return pieces


def grow_sentencepiece(small, folder, more):
    from sentencepiece import sentencepiece_model_pb2

    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString((small / "sentencepiece.bpe.model").read_bytes())
    least = min(piece.score for piece in model.pieces)
    before = len(model.pieces)
    for piece in made_up_pieces(more, {piece.piece for piece in model.pieces}):
        model.pieces.add(piece=piece, score=least - 1, type=1)
    model.trainer_spec.vocab_size = len(model.pieces)
    (folder / "sentencepiece.bpe.model").write_bytes(model.SerializeToString())

    def moved(number):  # transformers adds tokens after the pieces
        return number + more if number > before else number

    added = json.loads((small / "added_tokens.json").read_text())
    (folder / "added_tokens.json").write_text(json.dumps({name: moved(number) for name, number in added.items()}))
    config = json.loads((small / "tokenizer_config.json").read_text())
    known = config["added_tokens_decoder"]
    config["added_tokens_decoder"] = {str(moved(int(number))): token for number, token in known.items()}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


def grow_tokenizer(small, folder, more):
    tokenizer = json.loads((small / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    least = min(score for _, score in vocabulary)
    pieces = made_up_pieces(more, {piece for piece, _ in vocabulary})
    vocabulary += [[piece, least - 1] for piece in pieces]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


def main():
    if len(sys.argv) != 4 or sys.argv[2] not in SHAPES:
        sys.exit(__doc__)
    small, shape, folder = Path(sys.argv[1]), SHAPES[sys.argv[2]], Path(sys.argv[3])
    config = json.loads((small / "config.json").read_text())
    large = enlarged_config(config, shape)
    folder.mkdir(parents=True)
    for name in ("generation_config.json", "special_tokens_map.json", "tokenizer_config.json"):
        if (small / name).exists():
            shutil.copyfile(small / name, folder / name)
    (folder / "config.json").write_text(json.dumps(large))
    more = large["vocab_size"] - config["vocab_size"]
    grow = grow_tokenizer if (small / "tokenizer.json").exists() else grow_sentencepiece
    grow(small, folder, more)
    write_weights(folder, list(enlarged_tensors(read_header(small / "model.safetensors"), config, large)))


if __name__ == "__main__":
    main()
