#!/usr/bin/env python3
"""Compares how programs translate a text: CPU time and peak memory, in turns, and whether the translations are equal.

  translate_text.py [--rounds N] MODEL TEXT PROGRAM PROGRAM ... [-- OPTION ...]

Each round runs `PROGRAM translate` once on the text with every program. Prints medians over the rounds of CPU time and
of peak resident memory, and the ratio of the first program's time to that of each other program within a round.
"""
import hashlib
import os
import subprocess
import sys
from statistics import median


def run(program, model, text, options):
    """CPU seconds, MiB at the peak, a digest of the output."""
    command = [program, "translate", "-m", model, "-i", text, "--quiet", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    digest = hashlib.md5(process.stdout.read()).hexdigest()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, digest


def main():
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        split = arguments.index("--")
        arguments, options = arguments[:split], arguments[split + 1 :]
    rounds = 3
    if arguments[:1] == ["--rounds"]:
        rounds, arguments = int(arguments[1]), arguments[2:]
    if len(arguments) < 3:
        sys.exit(__doc__)
    model, text, *programs = arguments
    results = [[run(program, model, text, options) for program in programs] for _ in range(rounds)]
    for i, program in enumerate(programs):
        seconds, peak = (median(result[i][j] for result in results) for j in (0, 1))
        line = f"{program}: {seconds:.2f} s of CPU time, {peak:.0f} MiB, output {results[0][i][2][:8]}"
        if i > 0:
            ratios = sorted(result[0][0] / result[i][0] for result in results)
            line += f"; {median(ratios):.2f}x as fast as the first ({ratios[0]:.2f}-{ratios[-1]:.2f})"
        print(line)


if __name__ == "__main__":
    main()
