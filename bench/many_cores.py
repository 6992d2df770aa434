#!/usr/bin/env python3
"""Computes how the speed of translating a text depends on the number of cores: simulates the workers of nmt translate step
by step, with times measured on one core. Prints Markdown for bench/history.md.

  many_cores.py [OPTION ...]

Lines are read while the workers work, up to two chunks ahead of the written ones. A window has some rows for each core.
The workers take the lines of a window as soon as they have capacity for them, the longest first, and then those of the
next window. Of the last lines, no worker takes more than a part of its share. A step of a worker takes --step, --row
for each hypothesis and, where sentences begin, --encode for each of their tokens. A translation is as long as its
source, and a search continues for up to --further steps. Lines are written in order. One core alone does --read for
each line and, at the same time, --order and --write. The simulation leaves out what cores share: caches and memory
bandwidth.
"""
import argparse
import heapq
import math
import random

CORES = (2, 16, 64)
# Of src/translate: service/{translation_service,line_windows,request_queue}.cpp, service/translator.h and
# search/admission.cpp.
USUAL_ROWS, ROWS_APART, BATCH_TOKENS, TURNS, LEAST_TURNS, LEAST_ROWS = 25, 8, 2048, 8, 4, 512
FEW_TOKENS = 512


class Text:
    """Lines on their way: those that wait for a worker, and those that wait to be written."""

    def __init__(self, lines, options, chunk, window_rows):
        self.lines, self.options, self.most_ahead = lines, options, 2 * chunk
        self.windows = self.windows_of(chunk, window_rows)
        self.waiting = []  # window, rows below 0, number
        self.rows = 0  # of all that wait or are taken
        self.is_done = [False] * len(lines)
        self.read, self.written = 0, 0  # lines
        self.reader, self.writer = 0, 0  # when they are free again

    def windows_of(self, most_lines, most_rows):
        windows, window, begin, rows = [], 0, 0, 0
        for number, line in enumerate(self.lines):
            if number > begin and (number - begin == most_lines or rows + self.cost(line) > most_rows):
                window, begin, rows = window + 1, number, 0
            rows += self.cost(line)
            windows.append(window)
        return windows

    def claim(self, rows):
        return rows + ROWS_APART * (self.options.beam - 1)

    def cost(self, line):
        return line[1] + self.claim(line[1])

    def has_room(self):
        return self.read < min(self.written + self.most_ahead, len(self.lines))

    def is_over(self):
        return self.read == len(self.lines) and not self.waiting

    def read_until(self, now):
        while self.has_room() and self.reader + self.options.read <= now:
            self.reader += self.options.read
            heapq.heappush(self.waiting, (self.windows[self.read], -self.lines[self.read][1], self.read))
            self.rows += self.cost(self.lines[self.read])
            self.read += 1
        if not self.has_room():
            self.reader = max(self.reader, now)

    def take(self):
        return heapq.heappop(self.waiting)[2]

    def finish(self, numbers, now):
        for number in numbers:
            self.is_done[number] = True
            self.rows -= self.cost(self.lines[number])
        while self.written < len(self.lines) and self.is_done[self.written]:
            self.writer = max(self.writer, now) + self.options.order + self.options.write
            self.written += 1


class Worker:
    """A search with capacity for some sentences."""

    def __init__(self, text, cores, tokens):
        self.text, self.cores = text, cores
        self.sources = tokens * USUAL_ROWS // (USUAL_ROWS + text.claim(USUAL_ROWS))
        self.cache = tokens - self.sources
        self.sentences = []  # steps that are left, source rows, number
        self.finished = []  # numbers

    def fits(self, rows, sources, cache):
        """Whether this worker takes the next line, which has this many rows."""
        if not self.sentences:
            return True
        held = sources + cache + rows + self.text.claim(rows)
        if self.cores > 1 and held > max(self.text.rows // self.cores // LEAST_TURNS, LEAST_ROWS):
            return False
        return sources + rows <= self.sources and cache + self.text.claim(rows) <= self.cache

    def begin(self):
        """Takes lines while there is capacity; the tokens that are to be encoded."""
        sources, begun = sum(rows for _, rows, _ in self.sentences), 0
        cache = sum(self.text.claim(rows) for _, rows, _ in self.sentences)
        if 4 * cache > 3 * self.cache or 4 * sources > 3 * self.sources:
            return 0
        while self.text.waiting and self.fits(-self.text.waiting[0][1], sources, cache):
            number = self.text.take()
            steps, rows = self.text.lines[number]
            self.sentences.append((steps, rows, number))
            sources, cache, begun = sources + rows, cache + self.text.claim(rows), begun + rows
        return begun

    def step(self):
        """Microseconds of a step; 0: there is nothing to do."""
        begun = self.begin()
        options, hypotheses = self.text.options, self.text.options.beam * len(self.sentences)
        self.finished = [number for left, _, number in self.sentences if left <= 1]
        self.sentences = [(left - 1, rows, number) for left, rows, number in self.sentences if left > 1]
        return options.step + options.row * hypotheses + options.encode * begun if hypotheses else 0


def translate(lines, cores, options, chunk=None, turns=TURNS, tokens=BATCH_TOKENS):
    """Microseconds by the clock until all is written."""
    text = Text(lines, options, chunk or options.chunk, turns * tokens * cores)
    workers = [Worker(text, cores, tokens) for _ in range(cores)]
    times = [(0, i) for i in range(cores)]
    while times:
        now, i = heapq.heappop(times)
        text.finish(workers[i].finished, now)
        text.read_until(now)
        took = workers[i].step()
        if took:
            heapq.heappush(times, (now + took, i))
        elif not text.is_over():  # waits for a line, or for one to be written
            coming = [text.reader + options.read] if text.has_room() else []
            heapq.heappush(times, (max(now, min(coming + [time for time, _ in times[:1]])) + 1, i))
    return text.writer


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
        "a single window": {"turns": math.inf, "chunk": options.lines},
        f"{FEW_TOKENS} tokens a core": {"tokens": FEW_TOKENS},
    }
    print("| cores | " + " | ".join(ways) + " |\n|--:|" + "--:|" * len(ways))
    for cores in CORES:
        shares = [alone / cores / translate(text, cores, options, **way) for way in ways.values()]
        print(f"| {cores} | " + " | ".join(f"{100 * share:.0f} %" for share in shares) + " |")


if __name__ == "__main__":
    main()
