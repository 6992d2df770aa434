"""Converts a model of nmt with one vocabulary for both sides to CTranslate2's format, with weights in f32."""
import json
import struct

import numpy
import sentencepiece
from ctranslate2.specs import Activation, TransformerSpec


def read(path):
    """Tensors by name, and the model's settings as texts."""
    with open(path, "rb") as file:
        data = file.read()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        kind = {"F32": numpy.float32, "U8": numpy.uint8}[entry["dtype"]]
        tensors[name] = numpy.frombuffer(data[begin:end], kind).reshape(entry["shape"])
    settings = metadata["config"].split("model:", 1)[1]
    return tensors, dict(line.strip().split(": ", 1) for line in settings.splitlines() if ": " in line)


def sinusoids(positions, d):
    feature = numpy.arange(d)
    angle = numpy.arange(positions)[:, None] * numpy.exp((feature - feature % 2) * (-numpy.log(10000) / d))
    return numpy.where(feature % 2 == 0, numpy.sin(angle), numpy.cos(angle)).astype(numpy.float32)


def fill_norm(norm, tensors, name):
    norm.gamma, norm.beta = tensors[name + ".weight"], tensors[name + ".bias"]


def fill_attention(attention, tensors, name, d, is_self):
    weight, bias = tensors[name + ".in_proj_weight"], tensors[name + ".in_proj_bias"]
    parts = [slice(0, None)] if is_self else [slice(0, d), slice(d, None)]
    for linear, part in zip(attention.linear, parts):
        linear.weight, linear.bias = weight[part], bias[part]
    last = attention.linear[-1]
    last.weight, last.bias = tensors[name + ".out_proj.weight"], tensors[name + ".out_proj.bias"]


def fill_side(side, layers, tensors, name, d):
    for i, layer in enumerate(layers):
        at = f"{name}.layers.{i}"
        fill_attention(layer.self_attention, tensors, at + ".self_attn", d, True)
        norms = [layer.self_attention.layer_norm, layer.ffn.layer_norm]
        if name == "decoder":
            fill_attention(layer.attention, tensors, at + ".multihead_attn", d, False)
            norms.insert(1, layer.attention.layer_norm)
        for number, norm in enumerate(norms):
            fill_norm(norm, tensors, f"{at}.norm{number + 1}")
        for linear, number in ((layer.ffn.linear_0, 1), (layer.ffn.linear_1, 2)):
            linear.weight, linear.bias = (tensors[f"{at}.linear{number}.{kind}"] for kind in ("weight", "bias"))
    if f"{name}.norm.weight" in tensors:
        fill_norm(side.layer_norm, tensors, name + ".norm")
    side.scale_embeddings = True
    side.position_encodings.encodings = sinusoids(1024, d)


def convert(path, folder):
    """Writes the model to a folder of CTranslate2; returns its vocabulary, a SentencePieceProcessor."""
    tensors, settings = read(path)
    sizes = tuple(int(settings[side + "_layers"]) for side in ("encoder", "decoder"))
    activation = {"relu": Activation.RELU, "gelu": Activation.GELU}[settings["activation"]]
    spec = TransformerSpec.from_config(
        sizes, int(settings["heads"]), pre_norm=settings["norm"] == "pre", activation=activation
    )
    d = int(settings["d_model"])
    fill_side(spec.encoder, spec.encoder.layer, tensors, "encoder", d)
    fill_side(spec.decoder, spec.decoder.layer, tensors, "decoder", d)
    source = target = tensors.get("embedding.weight")
    if source is None:
        source, target = tensors["source_embedding.weight"], tensors["target_embedding.weight"]
    spec.encoder.embeddings[0].weight, spec.decoder.embeddings.weight = source, target
    spec.decoder.projection.weight = tensors.get("output.weight", target)
    spec.decoder.projection.bias = tensors["output.bias"]
    vocabulary = sentencepiece.SentencePieceProcessor(model_proto=tensors["vocabulary.shared"].tobytes())
    pieces = [vocabulary.id_to_piece(i) for i in range(vocabulary.get_piece_size())]
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    config = spec.config
    special_tokens = vocabulary.unk_id(), vocabulary.bos_id(), vocabulary.eos_id()
    config.unk_token, config.bos_token, config.eos_token = (pieces[i] for i in special_tokens)
    config.decoder_start_token = config.bos_token
    config.add_source_eos = True
    config.layer_norm_epsilon = float(settings["layer_norm_epsilon"])
    spec.validate()
    spec.save(folder)
    return vocabulary
