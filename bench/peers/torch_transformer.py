#!/usr/bin/env python3
"""The counterpart of bench_train_steps on a GPU, in PyTorch at its fastest: compiled, with fused attention, bf16 where
autocast has it, and Adam in one kernel. A worker for alternate.py.

  torch_transformer.py PRESET VOCABULARY SENTENCES [cpu]     cpu: for a test without a GPU
"""
import math
import sys
import time

import torch
from torch import nn
from torch.nn import functional

TOKENS, SPECIAL_IDS, BEGIN, END = 25, 3, 1, 2
PRESETS = {
    "transformer-tiny": dict(layers=2, d_model=128, d_ff=512, heads=4, dropout=0.1),
    "transformer-base": dict(layers=6, d_model=512, d_ff=2048, heads=8, dropout=0.1),
    "transformer-big": dict(layers=6, d_model=1024, d_ff=4096, heads=16, dropout=0.3),
}


class Transformer(nn.Module):
    def __init__(self, layers, d_model, d_ff, heads, dropout, vocabulary):
        super().__init__()
        self.transformer = nn.Transformer(d_model, heads, layers, layers, d_ff, dropout, batch_first=True)
        self.transformer.encoder.norm = self.transformer.decoder.norm = None  # post-norm, as in the paper
        self.embedding = nn.Embedding(vocabulary, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model ** -0.5)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.dropout = nn.Dropout(dropout)
        rate = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        angle = torch.arange(TOKENS)[:, None] * rate
        self.register_buffer("positions", torch.stack([angle.sin(), angle.cos()], 2).reshape(TOKENS, d_model))
        self.register_buffer("future", nn.Transformer.generate_square_subsequent_mask(TOKENS))

    def embed(self, ids):
        return self.dropout(self.embedding(ids) * math.sqrt(self.embedding.embedding_dim) + self.positions)

    def forward(self, source, target, labels):
        h = self.transformer(self.embed(source), self.embed(target), tgt_mask=self.future, tgt_is_causal=True)
        logits = functional.linear(h, self.embedding.weight, self.bias)
        return functional.cross_entropy(logits.flatten(0, 1).float(), labels.flatten(), label_smoothing=0.1)


def main():
    preset, vocabulary, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    device = sys.argv[4] if len(sys.argv) > 4 else "cuda"
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    torch.set_default_device(device)
    model = Transformer(**PRESETS[preset], vocabulary=vocabulary)
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    compiled = torch.compile(model) if device == "cuda" else model

    def step():
        ids = torch.randint(SPECIAL_IDS, vocabulary, (2, count, TOKENS - 1))
        end, begin = torch.full((count, 1), END), torch.full((count, 1), BEGIN)
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = compiled(torch.cat([ids[0], end], 1), torch.cat([begin, ids[1]], 1), torch.cat([ids[1], end], 1))
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        return loss

    for line in sys.stdin:
        wall, cpu = time.monotonic(), time.process_time()
        for _ in range(int(line)):
            loss = step()
        loss.item()  # waits for the GPU
        print(int(line) * count * TOKENS, time.monotonic() - wall, time.process_time() - cpu, flush=True)


if __name__ == "__main__":
    main()
