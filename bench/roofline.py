#!/usr/bin/env python3
"""What an update costs on a card, on paper: floating-point operations and bytes of each kernel of the CUDA backend,
from the shapes alone, and the least time each can take on the card's limits. Prints Markdown for doc/gpu.md.

usage: bench/roofline.py [--model base|big] [--rows 25000] [--teraflops 790] [--terabytes 4.3] [--measured figures.json]
       bench/roofline.py --listed UPDATES FEWER [--tolerance 0.1] [--d-model 128 ...]

Limits: the defaults are a dense bf16 product and a long copy as measured on an H200. A kernel takes at least the longer
of operations / limit and bytes / limit; launches, tails and what the second-level cache keeps are left out.

--listed holds what is said here against what the program does: two listings that the emulator has made of a training
(NMT_EMULATOR_LISTING, see doc/gpu.md), the first of one update more than the second. The model, the rows and the sentences
have to be those of that training. It fails where they differ by more than the tolerance.
"""
import argparse
import json
import sys

MODELS = {  # Vaswani et al., 2017, table 3
    "base": {"d": 512, "d_ff": 2048, "heads": 8, "layers": 6},
    "big": {"d": 1024, "d_ff": 4096, "heads": 16, "layers": 6},
}
HALF, SINGLE = 2, 4  # bytes of an element of the compute type and of a sum or master

# What is what of a listing: lines of the table, and the kernels that do them. What belongs to none is small.
PARTS = {
    "products": (["product, forward", "product, gradient of activations", "product, gradient of weights",
                  "output layer, forward", "output layer, gradient of x", "output layer, gradient of weights"], ["product"]),
    "activation, dropout": (["activation, dropout"], ["finish_vectors"]),
    "gradients of bias, activation, dropout": (["gradient of bias, activation, dropout", "gradient of the output bias"],
                                               ["column_parts_kernel", "add_parts_kernel"]),
    "dropout, residual, layer norm": (["dropout, residual, layer norm"], ["add_norm"]),
    "gradient of dropout, residual, layer norm": (["gradient of dropout, residual, layer norm"],
                                                  ["add_norm_backward", "add_groups"]),
    "attention": (["attention"], ["attention_fragment_kernel"]),
    "gradient of attention": (["gradient of attention"], ["gradient_fragment_kernel"]),
    "embedding": (["embedding"], ["embed"]),
    "gradient of embedding": (["gradient of embedding"], ["add_rows", "add_pieces", "merge_runs", "sort_tiles"]),
    "cross-entropy and its gradient": (["cross-entropy and its gradient"], ["cross_entropy_kernel", "sum_losses"]),
    "norm of the gradients": (["norm of the gradients"], ["sum_squares", "add_sums"]),
    "Adam": (["Adam"], ["adam_vectors", "convert_vectors"]),
    "gradients to zero": (["gradients to zero"], ["cudaMemset"]),
}


class Update:
    def __init__(self, model, rows, vocabulary, sentence):
        self.__dict__.update(model)
        self.rows, self.vocabulary, self.sentence = rows, vocabulary, sentence
        self.kernels = {}  # name: [calls, operations, bytes]
        self.again = {}  # name: bytes that are read a second time
        self.words = min(rows, vocabulary)  # that occur, at most

    def add(self, name, count, operations, moved):
        entry = self.kernels.setdefault(name, [0, 0.0, 0.0])
        entry[0] += count
        entry[1] += count * operations
        entry[2] += count * moved

    def linear(self, count, columns_in, columns_out, finish=False):
        """A product, with `finish` a pass over its result for activation and dropout, and the backward pass of both."""
        r, i, o = self.rows, columns_in, columns_out
        operations = 2 * r * i * o
        self.add("product, forward", count, operations, HALF * (r * i + i * o + r * o))
        if finish:  # a bias alone is added by the product
            self.add("activation, dropout", count, 0, r * (2 * HALF * o + o / 8))
        more = 2 * HALF * o + o / 8 if finish else 0  # y, for the sign of ReLU; dy again, changed; the mask
        self.add("gradient of bias, activation, dropout", count, 0, r * (HALF * o + more))
        self.add("product, gradient of activations", count, operations, HALF * (r * o + o * i + r * i))
        self.add("product, gradient of weights", count, operations, HALF * r * (o + i) + 2 * SINGLE * o * i)

    def norm(self, count):
        r, d = self.rows, self.d
        mask = d / 8
        moved = r * (4 * HALF * d + mask)  # x and h, sum and y; sum and dy, d_sum and d_h
        self.add("dropout, residual, layer norm", count, 0, moved)
        groups = min((r + 1) // 2, 2112)  # kMostGroups: their sums are written, and read to be added up
        self.add("gradient of dropout, residual, layer norm", count, 0, moved + groups * 2 * d * 2 * SINGLE)

    def attention(self, count):
        """Sequences of queries and keys of about `sentence` rows; weights are never written, but for a bit each."""
        r, d, keys, mask = self.rows, self.d, self.sentence, self.heads * self.sentence / 8
        statistics = SINGLE * self.heads
        self.add("attention", count, 4 * r * keys * d, r * (4 * HALF * d + mask + statistics))
        products = 5 if keys <= 32 else 9  # kFragmentRows: one tile does both sides of a sequence
        moved = r * (7 * HALF * d + mask + statistics)  # query, key, value, d_output; three gradients
        self.add("gradient of attention", count, products * 2 * r * keys * d, moved)

    def output(self):
        r, d, v = self.rows, self.d, self.vocabulary
        operations = 2 * r * d * v
        self.add("output layer, forward", 1, operations, HALF * (r * d + v * d) + SINGLE * r * v)
        # The logits are read for their sum, and those that no register keeps (KeptLogits) again for their gradient, which
        # takes their place.
        again = r * max(0, v - 16384) * SINGLE
        self.add("cross-entropy and its gradient", 1, 0, r * v * (SINGLE + HALF) + again)
        self.again["cross-entropy and its gradient"] = again
        self.add("gradient of the output bias", 1, 0, HALF * r * v)
        self.add("output layer, gradient of x", 1, operations, HALF * (r * v + v * d + r * d))
        # CudaBackend::rows_of_sum() at a time, so that bits do not depend on the workspace
        steps = -(-r // 2048)
        moved = HALF * (r * v + r * d) + steps * 2 * SINGLE * v * d
        self.add("output layer, gradient of weights", 1, operations, moved)

    def embedding(self):
        r, d, words = self.rows, self.d, self.words
        positions = self.sentence * SINGLE * d
        self.add("embedding", 2, 0, words * HALF * d + positions + r * (HALF * d + d / 8))
        self.add("gradient of embedding", 2, 0, r * (HALF * d + d / 8) + words * 2 * SINGLE * d)

    def parameters(self):
        d, f = self.d, self.d_ff
        attention, feed_forward, norm = 4 * d * d + 4 * d, 2 * d * f + d + f, 2 * d
        encoder = attention + feed_forward + 2 * norm
        decoder = 2 * attention + feed_forward + 3 * norm
        return self.layers * (encoder + decoder) + self.vocabulary * d + self.vocabulary

    def optimizer(self):
        n = self.parameters()
        self.add("norm of the gradients", 1, 0, SINGLE * n)
        self.add("Adam", 1, 0, n * (7 * SINGLE + HALF))  # weight, two moments both ways, gradient; the compute copy
        self.add("gradients to zero", 1, 0, SINGLE * n)

    def everything(self):
        d, f, layers = self.d, self.d_ff, self.layers
        self.linear(2 * layers, d, 3 * d)  # query, key and value of self-attention
        self.linear(layers, d, d)  # query of cross-attention
        self.linear(layers, d, 2 * d)  # its keys and values
        self.linear(3 * layers, d, d)  # after each attention
        self.linear(2 * layers, d, f, finish=True)
        self.linear(2 * layers, f, d)
        self.norm(5 * layers)
        self.attention(3 * layers)
        self.embedding()
        self.output()
        self.optimizer()
        return self


def compare(path, model, rate):
    """What bench/gpu.sh has measured of this model, in parts of what paper allows."""
    with open(path) as file:
        rows = [row for row in json.load(file) if row["part"].startswith(f"training transformer-{model},") and "figure" in row]
    for row in rows:
        print(f"{row['part']}: {row['figure'] / 1e6:.2f} M target tokens/s, {100 * row['figure'] / rate:.0f} % of that.")
    if not rows:
        print(f"{path} has no figure for training transformer-{model}.")


def listed(path):
    """Name of a kernel: calls, operations, bytes."""
    sums = {}
    with open(path) as file:
        for line in file:
            calls, operations, read, written, name = line.rstrip("\n").split("\t")
            entry = sums.setdefault(name.split(",")[0].split(" ")[0], [0, 0, 0])
            for i, value in enumerate((int(calls), int(operations), int(read) + int(written))):
                entry[i] += value
    return sums


def hold_against(update, more, fewer, tolerance):
    """What one update on paper says, against what the emulator has seen. Returns whether they agree."""
    counted = {name: [a - b for a, b in zip(entry, fewer.get(name, (0, 0, 0)))] for name, entry in more.items()}
    agree = True
    print("| | launches | MFLOP on paper | listed | MB on paper | listed | listed / paper |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for part, (lines, kernels) in PARTS.items():
        operations = sum(update.kernels[line][1] for line in lines) if part == "products" else 0
        moved = sum(update.kernels[line][2] - update.again.get(line, 0) for line in lines)
        calls, real_operations, real = (sum(counted.get(kernel, (0, 0, 0))[i] for kernel in kernels) for i in range(3))
        close = abs(real / moved - 1) <= tolerance and abs(real_operations - operations) <= tolerance * operations
        agree = agree and close
        print(f"| {part} | {calls} | {operations / 1e6:.0f} | {real_operations / 1e6:.0f} | {moved / 1e6:.2f} | {real / 1e6:.2f} "
              f"| {real / moved:.2f}{'' if close else ' (!)'} |")
    known = {kernel for _, kernels in PARTS.values() for kernel in kernels}
    others = {name: entry for name, entry in counted.items() if name not in known and entry[0] > 0}
    print(f"\nothers: {sum(entry[2] for entry in others.values()) / 1e6:.2f} MB by " +
          ", ".join(f"{name} ({entry[0]})" for name, entry in sorted(others.items())))
    return agree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=MODELS, default="base")
    parser.add_argument("--rows", type=int, default=25000, help="rows of either side of an update")
    parser.add_argument("--vocabulary", type=int, default=37000)
    parser.add_argument("--sentence", type=int, default=25, help="tokens of a sentence")
    parser.add_argument("--teraflops", type=float, default=790)
    parser.add_argument("--terabytes", type=float, default=4.3)
    parser.add_argument("--measured", help="figures.json of bench/gpu.sh")
    parser.add_argument("--listed", nargs=2, metavar=("UPDATES", "FEWER"), help="listings of the emulator")
    parser.add_argument("--tolerance", type=float, default=0.1, help="of --listed")
    for name in MODELS["base"]:
        parser.add_argument("--" + {"d": "d-model"}.get(name, name).replace("_", "-"), type=int, dest=name)
    options = parser.parse_args()
    model = {name: getattr(options, name) or usual for name, usual in MODELS[options.model].items()}
    update = Update(model, options.rows, options.vocabulary, options.sentence).everything()
    if options.listed:
        sys.exit(not hold_against(update, *map(listed, options.listed), options.tolerance))
    print(f"| {options.model}, {options.rows} + {options.rows} rows | calls | TFLOP | GB | least ms | bound by |")
    print("|---|---|---|---|---|---|")
    total = [0, 0.0, 0.0, 0.0]
    for name, (calls, operations, moved) in update.kernels.items():
        computing, moving = operations / options.teraflops / 1e9, moved / options.terabytes / 1e9
        least = max(computing, moving)
        total = [total[0] + calls, total[1] + operations, total[2] + moved, total[3] + least]
        bound = "arithmetic" if computing > moving else "memory"
        print(f"| {name} | {calls} | {operations / 1e12:.2f} | {moved / 1e9:.2f} | {least:.2f} | {bound} |")
    calls, operations, moved, least = total
    print(f"| **an update** | {calls} | {operations / 1e12:.2f} | {moved / 1e9:.2f} | {least:.2f} | |")
    rate = options.rows / least * 1000
    print(f"\n{rate / 1e6:.2f} M target tokens/s at most; {update.parameters() / 1e6:.1f} M parameters.")
    if options.measured:
        compare(options.measured, options.model, rate)


if __name__ == "__main__":
    main()
