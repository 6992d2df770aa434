#!/usr/bin/env python3
"""Computes what an update, or a step of a search, costs on a GPU: floating-point operations and bytes of each kernel of
the CUDA backend, from the shapes alone, and the minimum time for them. Prints Markdown for doc/cuda.md.

usage: bench/roofline.py [--model base|big] [--rows 25000] [--teraflops 790] [--terabytes 4.3] [--measured figures.json]
       bench/roofline.py --search SENTENCES [--beam 4] [--position 12] [--model base|big]
       bench/roofline.py [--search ...] --listed MORE FEWER [--tolerance 0.1] [--d-model 128 ...]

The default limits are a dense bf16 product and a long copy as measured on an H200. A kernel takes at least the longer
of operations / limit and bytes / limit. Launches, tails and the second-level cache are left out, and so are beginnings
that hypotheses of a sentence have in common.

--listed compares these figures with what the program does. MORE and FEWER are two listings that the emulator has made
of a training or of a search (NMT_EMULATOR_LISTING, see doc/cuda.md); MORE has one update, or one step, more than FEWER.
The model, the rows and the sentences must be those of that run. It fails if they differ by more than the tolerance.
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
PARTS_OF_UPDATE = {
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
PARTS_OF_STEP = {
    "products": (["product", "output layer"], ["product"]),
    "residual, layer norm": (["residual, layer norm"], ["add_norm"]),
    "attention to the past": (["attention to the past"], ["cached_attention_kernel"]),
    "attention to the source": (["attention to the source"], ["attention_fragment_kernel"]),
    "best tokens": (["best tokens"], ["top_k_kernel"]),
}


class Work:
    """Kernels that run one after another."""

    def __init__(self, model, rows, vocabulary, sentence):
        self.__dict__.update(model)
        self.rows, self.vocabulary, self.sentence = rows, vocabulary, sentence
        self.kernels = {}  # name: [calls, operations, bytes]
        self.again = {}  # name: bytes that are read a second time

    def add(self, name, count, operations, moved):
        entry = self.kernels.setdefault(name, [0, 0.0, 0.0])
        entry[0] += count
        entry[1] += count * operations
        entry[2] += count * moved

    def parameters(self):
        d, f = self.d, self.d_ff
        attention, feed_forward, norm = 4 * d * d + 4 * d, 2 * d * f + d + f, 2 * d
        encoder = attention + feed_forward + 2 * norm
        decoder = 2 * attention + feed_forward + 3 * norm
        return self.layers * (encoder + decoder) + self.vocabulary * d + self.vocabulary


class Update(Work):
    name, parts = "an update", PARTS_OF_UPDATE
    units = (1e12, "TFLOP"), (1e9, "GB"), (1e-3, "ms")

    def __init__(self, model, rows, vocabulary, sentence):
        super().__init__(model, rows, vocabulary, sentence)
        self.words = min(rows, vocabulary)  # that occur, at most
        self.title, self.tokens = f"{rows} + {rows} rows", rows
        self.measured = "training", ""  # parts and details of figures.json

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


class Step(Work):
    """The work of the decoder and the search for one more token of each hypothesis: `beam` hypotheses per sentence, which have
    `position` tokens already."""
    name, parts = "a step", PARTS_OF_STEP
    units = (1e9, "GFLOP"), (1e6, "MB"), (1e-6, "us")

    def __init__(self, model, sentences, beam, position, vocabulary, sentence):
        super().__init__(model, sentences * beam, vocabulary, sentence)
        self.sentences, self.beam, self.position = sentences, beam, position
        self.title, self.tokens = f"{sentences} x {beam} rows", sentences
        self.measured = "translation", f"beam {beam}, 1 x {sentences} sentences"

    def linear(self, count, columns_in, columns_out):
        """A product with its bias, and ReLU where there is one."""
        r, i, o = self.rows, columns_in, columns_out
        self.add("product", count, 2 * r * i * o, HALF * (r * i + i * o + o + r * o))

    def norm(self, count):
        r, d = self.rows, self.d
        moved = r * (4 * HALF * d + 2 * SINGLE) + 2 * SINGLE * d  # x and h, sum and y; mean and deviation; gain and bias
        self.add("residual, layer norm", count, 0, moved)

    def attention(self, count):
        r, d, seen = self.rows, self.d, self.position
        # query, key, value; these two to the cache; the output; rows of the cache, and which they are
        moved = r * (6 * HALF * d + seen * 2 * HALF * d + (seen + 2) * SINGLE)
        self.add("attention to the past", count, 4 * r * (seen + 1) * d, moved)
        keys = self.sentences * self.sentence
        self.add("attention to the source", count, 4 * r * self.sentence * d, HALF * d * (2 * r + 2 * keys))

    def output(self):
        r, d, v = self.rows, self.d, self.vocabulary
        self.add("output layer", 1, 2 * r * d * v, HALF * (r * d + v * d) + SINGLE * r * v)
        best = 1 if self.beam == 1 else 2 * self.beam
        self.add("best tokens", 1, 0, SINGLE * (r * v + v + 2 * r * best))

    def bookkeeping(self):
        """Embedding, ranking, extending hypotheses, with what they see, and handing out rows of the cache."""
        r, d, seen = self.rows, self.d, self.position
        self.add("embedding, ranking, hypotheses", 4, 0, r * (2 * HALF * d + 2 * SINGLE * seen) / 4)

    def everything(self):
        d, f, layers = self.d, self.d_ff, self.layers
        self.linear(layers, d, 3 * d)
        self.linear(3 * layers, d, d)  # after each attention, and the query of cross-attention
        self.linear(layers, d, f)
        self.linear(layers, f, d)
        self.norm(3 * layers)
        self.attention(layers)
        self.output()
        self.bookkeeping()
        return self


def compare(path, model, work, rate):
    """What bench/gpu.sh has measured of this model, in parts of what paper allows."""
    kind, details = work.measured
    part = f"{kind} transformer-{model},"
    with open(path) as file:
        rows = [row for row in json.load(file)
                if row["part"].startswith(part) and row["details"].startswith(details) and "figure" in row]
    for row in rows:
        print(f"{row['part']}: {row['figure']:,.0f} target tokens/s, {100 * row['figure'] / rate:.0f} % of that.")
    if not rows:
        print(f"{path} has no figure for {part[:-1]}.")


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


def hold_against(work, more, fewer, tolerance):
    """What paper says, against what the emulator has seen. Returns whether they agree."""
    counted = {name: [a - b for a, b in zip(entry, fewer.get(name, (0, 0, 0)))] for name, entry in more.items()}
    agree = True
    print("| | launches | MFLOP on paper | listed | MB on paper | listed | listed / paper |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for part, (lines, kernels) in work.parts.items():
        operations = sum(work.kernels[line][1] for line in lines) if part == "products" else 0
        moved = sum(work.kernels[line][2] - work.again.get(line, 0) for line in lines)
        calls, real_operations, real = (sum(counted.get(kernel, (0, 0, 0))[i] for kernel in kernels) for i in range(3))
        close = abs(real / moved - 1) <= tolerance and abs(real_operations - operations) <= tolerance * operations
        agree = agree and close
        print(f"| {part} | {calls} | {operations / 1e6:.0f} | {real_operations / 1e6:.0f} | {moved / 1e6:.2f} | {real / 1e6:.2f} "
              f"| {real / moved:.2f}{'' if close else ' (!)'} |")
    known = {kernel for _, kernels in work.parts.values() for kernel in kernels}
    others = {name: entry for name, entry in counted.items() if name not in known and entry[0] > 0}
    print(f"\nothers: {sum(entry[2] for entry in others.values()) / 1e6:.2f} MB by " +
          ", ".join(f"{name} ({entry[0]})" for name, entry in sorted(others.items())))
    return agree


def print_table(work, model, teraflops, terabytes):
    """Returns the least seconds."""
    (flops, name_of_flops), (amount, name_of_bytes), (time, name_of_time) = work.units
    print(f"| {model}, {work.title} | calls | {name_of_flops} | {name_of_bytes} | minimum, {name_of_time} | bound by |")
    print("|---|---|---|---|---|---|")
    total = [0, 0.0, 0.0, 0.0]
    for name, (calls, operations, moved) in work.kernels.items():
        computing, moving = operations / teraflops / 1e12, moved / terabytes / 1e12
        least = max(computing, moving)
        total = [total[0] + calls, total[1] + operations, total[2] + moved, total[3] + least]
        bound = "arithmetic" if computing > moving else "memory"
        print(f"| {name} | {calls} | {operations / flops:.2f} | {moved / amount:.2f} | {least / time:.2f} | {bound} |")
    calls, operations, moved, least = total
    print(f"| **{work.name}** | {calls} | {operations / flops:.2f} | {moved / amount:.2f} | {least / time:.2f} | |")
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=MODELS, default="base")
    parser.add_argument("--rows", type=int, default=25000, help="rows of either side of an update")
    parser.add_argument("--vocabulary", type=int, default=37000)
    parser.add_argument("--sentence", type=int, default=25, help="tokens of a sentence")
    parser.add_argument("--search", type=int, metavar="SENTENCES", help="computes a step of a search of this many sentences")
    parser.add_argument("--beam", type=int, default=4, help="their hypotheses")
    parser.add_argument("--position", type=int, default=12, help="tokens that these have already")
    parser.add_argument("--teraflops", type=float, default=790)
    parser.add_argument("--terabytes", type=float, default=4.3)
    parser.add_argument("--measured", help="figures.json of bench/gpu.sh")
    parser.add_argument("--listed", nargs=2, metavar=("MORE", "FEWER"), help="listings of the emulator")
    parser.add_argument("--tolerance", type=float, default=0.1, help="of --listed")
    for name in MODELS["base"]:
        parser.add_argument("--" + {"d": "d-model"}.get(name, name).replace("_", "-"), type=int, dest=name)
    options = parser.parse_args()
    model = {name: getattr(options, name) or usual for name, usual in MODELS[options.model].items()}
    if options.search:
        work = Step(model, options.search, options.beam, options.position, options.vocabulary, options.sentence)
    else:
        work = Update(model, options.rows, options.vocabulary, options.sentence)
    work.everything()
    if options.listed:
        sys.exit(not hold_against(work, *map(listed, options.listed), options.tolerance))
    least = print_table(work, options.model, options.teraflops, options.terabytes)
    rate = work.tokens / least
    print(f"\n{rate:,.0f} target tokens/s at most; {work.parameters() / 1e6:.1f} M parameters.")
    if options.measured:
        compare(options.measured, options.model, work, rate)


if __name__ == "__main__":
    main()
