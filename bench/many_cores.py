#!/usr/bin/env python3
"""How translating a text goes with the number of cores, on paper: simulates the workers of nmt translate step by step, from
times measured on one core. Prints Markdown for doc/benchmarks.md.

  many_cores.py [OPTION ...]

Chunks of lines are read, and the workers take lines of a chunk, the longest first, as soon as they have capacity for them. A
step of a worker takes --step, --row for each hypothesis and, where sentences begin, --encode for each of their tokens. A
translation is as long as its source, and a search goes on for up to --further steps. All lines of a chunk are written
when the last one is done. What takes place on one core alone is --read, --order and --write, for each line. What cores
share, caches and the bandwidth of memory, is left out.
"""
import argparse
import heapq
import random

CORES = (2, 16, 64)
USUAL_ROWS, ROWS_APART, BATCH_TOKENS, LEAST_TOKENS = 25, 8, 2048, 512  # of src/translate/{translator,search}.cpp


class Worker:
    """A search with capacity for some sentences."""

    def __init__(self, options, tokens):
        self.options = options
        self.sources = tokens * USUAL_ROWS // (2 * USUAL_ROWS + ROWS_APART * (options.beam - 1))
        self.cache = tokens - self.sources
        self.sentences = []  # steps that are left, source rows

    def claim(self, rows):
        return rows + ROWS_APART * (self.options.beam - 1)

    def begin(self, lines):
        """Takes lines while there is capacity; the tokens that are to be encoded."""
        sources, begun = sum(rows for _, rows in self.sentences), 0
        cache = sum(self.claim(rows) for _, rows in self.sentences)
        if 4 * cache > 3 * self.cache or 4 * sources > 3 * self.sources:
            return 0
        while lines and (not self.sentences or (
                sources + lines[-1][1] <= self.sources and cache + self.claim(lines[-1][1]) <= self.cache)):
            self.sentences.append(lines.pop())
            rows = self.sentences[-1][1]
            sources, cache, begun = sources + rows, cache + self.claim(rows), begun + rows
        return begun

    def step(self, lines):
        """Microseconds of a step; 0: there is nothing left."""
        begun = self.begin(lines)
        if not self.sentences:
            return 0
        hypotheses = self.options.beam * len(self.sentences)
        self.sentences = [(left - 1, rows) for left, rows in self.sentences if left > 1]
        return self.options.step + self.options.row * hypotheses + self.options.encode * begun


def translate_chunk(lines, cores, tokens, options):
    """Microseconds by the clock until the last line is done."""
    lines = sorted(lines, key=lambda line: line[1])
    workers = [Worker(options, tokens) for _ in range(cores)]
    times = [(0, i) for i in range(cores)]
    end = 0
    while times:
        now, i = heapq.heappop(times)
        took = workers[i].step(lines)
        end = max(end, now)
        if took:
            heapq.heappush(times, (now + took, i))
    return end


def translate(text, cores, options, chunk=None, ahead=True, tokens=None):
    """Microseconds of the whole text."""
    chunk = chunk or options.chunk
    tokens = tokens or BATCH_TOKENS
    clock = 0
    for begin in range(0, len(text), chunk):
        lines = text[begin : begin + chunk]
        reading = options.read * len(lines)
        clock += reading if begin == 0 or not ahead else 0
        busy = translate_chunk(lines, cores, tokens, options)
        clock += max(busy, reading) if ahead else busy
        clock += (options.order + options.write) * len(lines)
    return clock


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=65536)
    parser.add_argument("--tokens", type=float, default=25, help="of a source, in the median")
    parser.add_argument("--beam", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=8192, help="lines")
    parser.add_argument("--further", type=int, default=0, help="most steps after the best translation has ended")
    for name, usual in (("step", 220), ("row", 36), ("encode", 1.3), ("read", 0.3), ("order", 0.1), ("write", 0.3)):
        parser.add_argument("--" + name, type=float, default=usual, help="microseconds")
    options = parser.parse_args()
    draw = random.Random(1)
    text = []
    for _ in range(options.lines):
        rows = min(1024, max(2, round(draw.lognormvariate(0, 0.6) * options.tokens)))
        text.append((rows + draw.randint(0, options.further), rows))
    alone = translate(text, 1, options)
    ways = {
        "as it is": {},
        "without reading ahead": {"ahead": False},
        f"chunks of {8 * options.chunk} lines": {"chunk": 8 * options.chunk},
        f"{LEAST_TOKENS} tokens a core": {"tokens": LEAST_TOKENS},
    }
    print("| cores | " + " | ".join(ways) + " |\n|--:|" + "--:|" * len(ways))
    for cores in CORES:
        shares = [alone / cores / translate(text, cores, options, **way) for way in ways.values()]
        print(f"| {cores} | " + " | ".join(f"{100 * share:.0f} %" for share in shares) + " |")


if __name__ == "__main__":
    main()
