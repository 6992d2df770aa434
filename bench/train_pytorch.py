#!/usr/bin/env python3
"""The counterpart of bench_train_steps in PyTorch: the same model, dropout and batches, for alternate.py.

  train_pytorch.py PRESET VOCABULARY SENTENCES THREADS

It uses PyTorch's own layers. The encoder of a recurrent model is one nn.GRU. The decoder steps through GRUCells, because
its second cell reads what attention computes from the first. All sentences have the same length, so there is no padding.
"""
import math
import random
import sys
import time

import torch
from torch import nn
from torch.nn import functional

TOKENS, SPECIAL_IDS, BEGIN, END = 25, 3, 1, 2
PRESETS = {
    "transformer-small": dict(layers=3, d_model=256, d_ff=1024, heads=4, norm_first=True,
                              dropout=0.2, attention_dropout=0.0, activation_dropout=0.0),
    "transformer-base": dict(layers=6, d_model=512, d_ff=2048, heads=8, norm_first=False,
                             dropout=0.1, attention_dropout=0.1, activation_dropout=0.1),
    "rnn-small": dict(d_embedding=256, d_state=512, dropout=0.2, activation_dropout=0.2),
    "rnn": dict(d_embedding=512, d_state=1024, dropout=0.2, activation_dropout=0.2),
}


def sinusoids(length, d):
    position = torch.arange(length)[:, None]
    rate = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
    table = torch.zeros(length, d)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)
    return table


class Transformer(nn.Module):
    def __init__(self, c, vocabulary):
        super().__init__()
        d, pre = c["d_model"], c["norm_first"]
        kind = dict(d_model=d, nhead=c["heads"], dim_feedforward=c["d_ff"], dropout=c["dropout"],
                    batch_first=True, norm_first=pre)
        norm = (lambda: nn.LayerNorm(d)) if pre else (lambda: None)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**kind), c["layers"], norm())
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**kind), c["layers"], norm())
        for layer in [*self.encoder.layers, *self.decoder.layers]:
            layer.dropout.p = c["activation_dropout"]
            layer.self_attn.dropout = c["attention_dropout"]
        for layer in self.decoder.layers:
            layer.multihead_attn.dropout = c["attention_dropout"]
        self.embedding = nn.Embedding(vocabulary, d)
        nn.init.normal_(self.embedding.weight, std=d ** -0.5)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.dropout = nn.Dropout(c["dropout"])
        self.register_buffer("positions", sinusoids(TOKENS, d))
        self.register_buffer("future", torch.triu(torch.full((TOKENS, TOKENS), float("-inf")), 1))

    def embed(self, ids):
        return self.dropout(self.embedding(ids) * math.sqrt(self.embedding.embedding_dim) + self.positions)

    def forward(self, source, target):
        memory = self.encoder(self.embed(source))
        h = self.decoder(self.embed(target), memory, tgt_mask=self.future)
        return functional.linear(h, self.embedding.weight, self.bias)


class Recurrent(nn.Module):
    def __init__(self, c, vocabulary):
        super().__init__()
        e, h = c["d_embedding"], c["d_state"]
        self.embedding = nn.Embedding(vocabulary, e)
        nn.init.normal_(self.embedding.weight, std=e ** -0.5)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.encoder = nn.GRU(e, h, batch_first=True, bidirectional=True)
        self.start = nn.Linear(2 * h, h)
        self.cells = nn.ModuleList([nn.GRUCell(e, h), nn.GRUCell(2 * h, h)])
        self.query, self.key = nn.Linear(h, 2 * h, bias=False), nn.Linear(2 * h, 2 * h)
        self.energy = nn.Linear(2 * h, 1, bias=False)
        self.output = nn.ModuleList([nn.Linear(e, e), nn.Linear(h, e), nn.Linear(2 * h, e)])
        self.dropout, self.activation_dropout = nn.Dropout(c["dropout"]), nn.Dropout(c["activation_dropout"])

    def attend(self, state, key, memory):
        energies = self.energy(torch.tanh(key + self.query(state)[:, None]))
        return torch.bmm(torch.softmax(energies, 1).transpose(1, 2), memory)[:, 0]

    def forward(self, source, target):
        memory = self.dropout(self.encoder(self.dropout(self.embedding(source)))[0])
        state, key = torch.tanh(self.start(memory.mean(1))), self.key(memory)
        words, states, contexts = self.dropout(self.embedding(target)), [], []
        for word in words.unbind(1):
            state = self.cells[0](word, state)
            contexts.append(self.attend(state, key, memory))
            state = self.cells[1](contexts[-1], state)
            states.append(state)
        parts = words, self.dropout(torch.stack(states, 1)), torch.stack(contexts, 1)
        hidden = torch.tanh(sum(layer(part) for layer, part in zip(self.output, parts)))
        return functional.linear(self.activation_dropout(hidden), self.embedding.weight, self.bias)


def sentences(count, vocabulary):
    return [[random.randint(SPECIAL_IDS, vocabulary - 1) for _ in range(TOKENS - 1)] for _ in range(count)]


def step(model, adam, vocabulary, count):
    source = torch.tensor([ids + [END] for ids in sentences(count, vocabulary)])
    target = sentences(count, vocabulary)
    labels = torch.tensor([ids + [END] for ids in target])
    logits = model(source, torch.tensor([[BEGIN] + ids for ids in target]))
    loss = functional.cross_entropy(logits.view(-1, vocabulary), labels.view(-1), label_smoothing=0.1)
    adam.zero_grad(set_to_none=True)
    loss.backward()
    adam.step()
    return labels.numel()


def main():
    preset, vocabulary, count, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    random.seed(1)
    model = (Recurrent if preset.startswith("rnn") else Transformer)(PRESETS[preset], vocabulary)
    fused = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 4)  # on the CPU
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=fused)
    for line in sys.stdin:
        wall, cpu = time.monotonic(), time.process_time()
        tokens = sum(step(model, adam, vocabulary, count) for _ in range(int(line)))
        print(tokens, time.monotonic() - wall, time.process_time() - cpu, flush=True)


if __name__ == "__main__":
    main()
