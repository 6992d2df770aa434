#!/usr/bin/env python3
"""Compares the speed of workers that take turns, so that all of them meet the same load of the machine.

  alternate.py [--rounds N] [--updates N] [--tsv] NAME=COMMAND NAME=COMMAND ...

A worker reads a number of updates from each line of its input, makes them, and answers with a line of tokens, seconds
and seconds of CPU time. After a warm-up round, each round asks every worker in turn. The output has medians over the
rounds: tokens per second, tokens per second of CPU time, and the peak memory of each worker. It also has the ratios of
both speeds of the first worker to those of each other worker within a round. With --tsv these are columns for other
scripts: name, tokens per second, tokens per second of CPU time, MiB, both ratios, and the smallest and the largest
ratio of CPU time.
"""
import argparse
import shlex
import subprocess
from statistics import median


class Worker:
    def __init__(self, text):
        self.name, command = text.split("=", 1)
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.speeds = []  # of each round: tokens per second, and per second of CPU time

    def run(self, updates):
        print(updates, file=self.process.stdin, flush=True)
        tokens, wall, cpu = map(float, self.process.stdout.readline().split())
        self.speeds.append((tokens / wall, tokens / cpu))

    def peak(self):
        """The most resident memory so far, in MiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def report(worker, first):
    """The medians of a worker, and its ratios to the first one, as columns."""
    pairs = list(zip(first.speeds, worker.speeds))[1:]
    wall, cpu = (median(mine[i] for _, mine in pairs) for i in (0, 1))
    columns = [worker.name, f"{wall:.0f}", f"{cpu:.0f}", f"{worker.peak():.0f}"]
    if worker is not first:
        ratios = [sorted(theirs[i] / mine[i] for theirs, mine in pairs) for i in (0, 1)]
        numbers = median(ratios[0]), median(ratios[1]), ratios[1][0], ratios[1][-1]
        columns += [f"{number:.2f}" for number in numbers]
    return columns


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--updates", type=int, default=1)
    parser.add_argument("--tsv", action="store_true")
    parser.add_argument("workers", nargs="+", type=Worker)
    options = parser.parse_args()
    for _ in range(options.rounds + 1):
        for worker in options.workers:
            worker.run(options.updates)
    first = options.workers[0]
    for worker in options.workers:
        name, wall, cpu, peak, *ratios = columns = report(worker, first)
        if options.tsv:
            print(*columns, sep="\t")
            continue
        line = f"{name}: {wall} tokens/s, {cpu} per second of CPU time, {peak} MiB"
        if ratios:
            line += "; {}: {}x, {}x by CPU time ({}-{})".format(first.name, *ratios)
        print(line)


if __name__ == "__main__":
    main()
