#!/usr/bin/env python3
"""Compares how fast nmt and CTranslate2 translate a text with the same model on one thread, in turns: tables of
translate.sh.

`text`: target tokens per second of CPU time, from lines to lines, segmentation included, with BLEU if there is a
reference. The time of nmt is that of the whole program, minus that for a text of one line. Another table compares two
threads of nmt with one, in elapsed time.
`latency`: milliseconds of elapsed time from a line to its answer, before the next line is sent; medians over lines.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from statistics import median

try:
    import ctranslate2
except ImportError:
    ctranslate2 = None

LATENCY_LINES, WARM_LINES = 100, 5
TYPES = {"f32": "float32", "bf16": "bfloat16", "int8": "int8"}


class Program:
    """nmt with its options."""

    def __init__(self, options, precision, beam, extra):
        self.command = [options.nmt, "translate", "-m", options.model, "--precision", precision, "--beam", str(beam)]
        self.command += ["--cpu-isa", options.cpu_isa, *extra]

    def run(self, lines, *options):
        """CPU seconds, seconds of translating, target tokens, translations."""
        with tempfile.TemporaryFile("w+") as log, tempfile.TemporaryFile("w+") as text:
            text.write("".join(line + "\n" for line in lines))
            text.seek(0)
            process = subprocess.Popen([*self.command, *options], stdin=text, stdout=subprocess.PIPE, stderr=log, text=True)
            translations = process.stdout.read().splitlines()
            _, status, usage = os.wait4(process.pid, 0)
            log.seek(0)
            told = log.read()
        if status != 0:
            sys.exit(f"{' '.join(self.command)}: {told}")
        tokens, seconds = re.search(r"and (\d+) target tokens in ([0-9.]+) s", told).groups()
        return usage.ru_utime + usage.ru_stime, float(seconds), int(tokens), translations

    def works(self):
        probe = subprocess.run(self.command, input="", capture_output=True, text=True, check=False)
        return probe.returncode == 0

    def speed(self, lines):
        """Tokens per second of CPU time, and the translations."""
        start = self.run(lines[:1], "--threads", "1")
        whole = self.run(lines, "--threads", "1")
        return (whole[2] - start[2]) / (whole[0] - start[0]), whole[3]

    def seconds(self, lines, threads):
        return self.run(lines, "--threads", str(threads))[1]


class Conversation:
    """nmt, which answers each line before it reads the next one."""

    def __init__(self, program):
        command = [*program.command, "--threads", "1", "--flush", "--quiet"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def translate(self, lines):
        self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        self.process.stdin.flush()
        for _ in lines:
            self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Peer:
    """CTranslate2 in this process."""

    def __init__(self, folder, vocabulary, precision, beam):
        self.translator = ctranslate2.Translator(
            folder, device="cpu", compute_type=TYPES[precision], inter_threads=1, intra_threads=1
        )
        self.vocabulary, self.beam = vocabulary, beam

    def translate(self, lines):
        tokens = self.vocabulary.encode(lines, out_type=str)
        found = self.translator.translate_batch(
            tokens, beam_size=self.beam, length_penalty=0.6, max_batch_size=32, max_decoding_length=256
        )
        pieces = [result.hypotheses[0] for result in found]
        return sum(map(len, pieces)), [self.vocabulary.decode(line) for line in pieces]

    def speed(self, lines):
        cpu = time.process_time()
        tokens, translations = self.translate(lines)
        return tokens / (time.process_time() - cpu), translations

    def end(self):
        pass


def in_turns(rounds, programs, measure):
    """What `measure` gives for each program in each round."""
    return [[measure(program) for program in programs] for _ in range(rounds)]


def latencies(programs, lines):
    """Milliseconds by the clock from a line to its answer, medians over lines that all programs get in turns."""
    answering = [Conversation(one) if isinstance(one, Program) else one for one in programs]
    times = [[] for _ in answering]
    for line in lines:
        for one, taken in zip(answering, times):
            start = time.perf_counter()
            one.translate([line])
            taken.append(1000 * (time.perf_counter() - start))
    for one in answering:
        one.end()
    return [median(taken[WARM_LINES:]) for taken in times]


def bleu(options, translations):
    if not options.reference:
        return ""
    text = "".join(line + "\n" for line in translations)
    command = [options.nmt, "bleu", options.reference, "--score-only"]
    return ", BLEU " + subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.strip()


def spread(ratios):
    return f"{median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


def row_of_text(options, lines, name, programs):
    found = in_turns(options.rounds, programs, lambda one: one.speed(lines))
    cells = [f"{median(turn[i][0] for turn in found):.0f}{bleu(options, found[0][i][1])}" for i in range(len(programs))]
    print(row(f"{name}: tokens/s", cells, [turn[0][0] / turn[-1][0] for turn in found]), flush=True)


def row_of_latency(options, lines, name, programs):
    times = [latencies(programs, lines[: WARM_LINES + LATENCY_LINES]) for _ in range(options.rounds)]
    cells = [f"{median(turn[i] for turn in times):.2f} ms" for i in range(len(programs))]
    print(row(f"{name}: a line", cells, [turn[-1] / turn[0] for turn in times]), flush=True)


def row(name, cells, ratios):
    other = [cells[1], spread(ratios)] if len(cells) > 1 else ["", ""]
    return "| " + " | ".join([name, cells[0], *other]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("text", "latency"))
    for name in ("nmt", "model", "source"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--reference")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precisions", nargs="+", default=list(TYPES))
    parser.add_argument("--cpu-isa", default="auto")
    parser.add_argument("--patience")
    options = parser.parse_args()
    with open(options.source, encoding="utf-8") as file:
        lines = file.read().splitlines()
    folder, vocabulary = tempfile.TemporaryDirectory(), None
    if ctranslate2:
        from peers.ctranslate2_model import convert

        vocabulary = convert(options.model, folder.name)
    print("| search, precision | nmt | CTranslate2 | times as fast |\n|---|--:|--:|--:|")
    for precision in options.precisions:
        supported = ctranslate2 and TYPES[precision] in ctranslate2.get_supported_compute_types("cpu")
        for beam in (4, 1):
            name = f"{f'beam {beam}' if beam > 1 else 'greedy'}, {precision}"
            variants = [(name, [])]
            if options.patience and beam > 1:
                variants.append((f"{name}, patience {options.patience}", ["--patience", options.patience]))
            for variant, extra in variants:
                program = Program(options, precision, beam, extra)
                if program.works():
                    peer = Peer(folder.name, vocabulary, precision, beam) if supported else None
                    of_table = row_of_text if options.table == "text" else row_of_latency
                    of_table(options, lines, variant, [program] + [peer] * (peer is not None))
        program = Program(options, precision, 4, [])
        if options.table == "text" and program.works():
            ratios = [program.seconds(lines, 1) / program.seconds(lines, 2) for _ in range(options.rounds)]
            print(row(f"beam 4, {precision}: two threads over one, by the clock", [spread(ratios)], []), flush=True)


if __name__ == "__main__":
    main()
