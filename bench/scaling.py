#!/usr/bin/env python3
"""Computes how the speed of training depends on the number of GPUs: simulates an update bucket by bucket, with the minimum
times of roofline.py and the bandwidths of links. Prints Markdown for doc/scaling.md.

usage: bench/scaling.py [--rows 5000] [--reached 0.8] [--memory 141] [--activations 20]

A GPU computes --rows source and target tokens of an update, in the minimum time of roofline.py divided by --reached;
the slowest rank of an update takes --slowest longer. The backward pass, two thirds of that time, completes the gradients
of matrices at an even rate, beginning with the last layer. Those of the embeddings, tied to the output layer, come last.
A collective call of n bytes takes a ring n (R - 1) / R / bandwidth and 10 us log2 R. Calls take place one after the
other, beside the computation. The memory bandwidth and the multiprocessors that they need are left out.
"""
import argparse
from math import log2

from roofline import MODELS, Update

BUCKET = 4 << 20  # elements; kBucket of src/nn/weights/training_weights.h
RANKS = (8, 64, 128)
LINKS = {  # bytes a second that pass each GPU of a ring, nine tenths (NVLink: four fifths) of what is published
    "NVLink 4 (450 GB/s each way)": 0.8 * 450e9,
    "400 Gb/s a GPU": 0.9 * 50e9 * 8,  # eight rings through a machine of eight GPUs
    "400 Gb/s a machine": 0.9 * 50e9,
    "100 Gb/s a machine": 0.9 * 12.5e9,
}


class Cluster:
    def __init__(self, ranks, bandwidth):
        self.ranks, self.bandwidth = ranks, min(bandwidth, LINKS["NVLink 4 (450 GB/s each way)"])

    def call(self, size):
        """Seconds of a reduce_scatter or an all_gather of `size` bytes."""
        return 0 if self.ranks == 1 else (
            size * (self.ranks - 1) / self.ranks / self.bandwidth + 1e-5 * log2(self.ranks))


def least_seconds(update, options):
    """Of one GPU: the passes, and Adam."""
    times = {name: max(work / options.teraflops / 1e12, moved / options.terabytes / 1e12)
             for name, (_, work, moved) in update.kernels.items()}
    adam = times.pop("Adam")
    return sum(times.values()) / options.reached, adam / options.reached


def buckets(update, backward):
    """Elements of each bucket and when they are final, in seconds after backward has begun."""
    table, rest = update.vocabulary * update.d, update.parameters() - update.vocabulary * update.d
    sizes, done = [], 0
    while done < rest:
        done = min(done + BUCKET, rest)
        sizes.append((min(BUCKET, rest - (len(sizes) * BUCKET)), backward * done / rest))
    return sizes + [(min(BUCKET, table - begin), backward) for begin in range(0, table, BUCKET)]


def seconds(update, cluster, options, overlap=True, sharded=True, gradient_bytes=4):
    """Of an update on all ranks."""
    passes, adam = least_seconds(update, options)
    passes *= 1 + (options.slowest if cluster.ranks > 1 else 0)
    forward, backward = passes / 3, passes * 2 / 3
    links_free = forward if overlap else forward + backward
    for elements, final in buckets(update, backward):
        took = cluster.call(gradient_bytes * elements) + (0 if sharded else cluster.call(4 * elements))
        links_free = max(links_free, forward + final) + took
    now = max(passes, links_free) + 2 * cluster.call(24)  # losses and the norm
    if not sharded or cluster.ranks == 1:
        return now + adam
    return now + adam / cluster.ranks + sum(cluster.call(2 * elements) for elements, _ in buckets(update, 0))


def print_efficiency(options):
    ways = {
        "default": {},
        "gradients in bf16": {"gradient_bytes": 2},
        "without overlap": {"overlap": False},
        "without sharding": {"sharded": False},
    }
    for model in ("base", "big"):
        update = Update(MODELS[model], options.rows, options.vocabulary, options.sentence).everything()
        alone = seconds(update, Cluster(1, 1), options)
        print(f"\n| {model}, {options.rows} + {options.rows} tokens per GPU, {alone * 1000:.1f} ms on one GPU | GPUs | "
              + " | ".join(ways) + " | M target tokens/s |")
        print("|---|--:|" + "--:|" * (len(ways) + 1))
        for link, bandwidth in LINKS.items():
            for ranks in RANKS[:1] if link.startswith("NVLink") else RANKS[1:]:
                cluster = Cluster(ranks, bandwidth)
                taken = [seconds(update, cluster, options, **way) for way in ways.values()]
                shares = " | ".join(f"{100 * alone / time:.0f} %" for time in taken)
                print(f"| {link} | {ranks} | {shares} | {ranks * options.rows / taken[0] / 1e6:.1f} |")


def print_memory(options):
    """Bytes of a weight: gradient, compute copy; master, two moments by the ranks. At the start, all of the master."""
    room = (options.memory - options.activations) * 1e9
    print(f"\n| weights that {options.memory} GB hold, {options.activations} of them activations, in thousands of "
          "millions | " + " | ".join(f"{ranks}" for ranks in (1, *RANKS)) + " |")
    print("|---|" + "--:|" * (1 + len(RANKS)))
    whole = [room / (4 + 2 + 12) / 1e9 for _ in (1, *RANKS)]
    divided = [min(room / (4 + 2 + 12 / ranks), room / (4 + 2 + 4) if ranks > 1 else room) / 1e9 for ranks in (1, *RANKS)]
    print("| without sharding | " + " | ".join(f"{n:.1f}" for n in whole) + " |")
    print("| with it | " + " | ".join(f"{n:.1f}" for n in divided) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5000, help="source tokens, and target tokens, of a GPU")
    parser.add_argument("--vocabulary", type=int, default=37000)
    parser.add_argument("--sentence", type=int, default=25, help="tokens of a sentence")
    parser.add_argument("--teraflops", type=float, default=790)
    parser.add_argument("--terabytes", type=float, default=4.3)
    parser.add_argument("--reached", type=float, default=0.8, help="share of what the GPU could do")
    parser.add_argument("--slowest", type=float, default=0.01, help="what the slowest rank takes longer")
    parser.add_argument("--memory", type=float, default=141, help="GB of a GPU")
    parser.add_argument("--activations", type=float, default=20, help="GB of that")
    options = parser.parse_args()
    print_efficiency(options)
    print_memory(options)


if __name__ == "__main__":
    main()
