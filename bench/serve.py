#!/usr/bin/env python3
"""Measures servers of translations under load. nmt serve is compared with CTranslate2 in a Python server that makes
batches, and with LibreTranslate, with the same model and beam 4. One client is also compared with `nmt translate
--flush`, which gets a line when it has answered the previous one. Needs a Python with ctranslate2 and sentencepiece.

  serve.py --nmt PROGRAM --model MODEL --source TEXT [--libretranslate PYTHON] [OPTION ...]

Each round starts the servers one after the other, on the same number of processors. Each request to /translate has one
sentence, {"q", "source", "target"}:

  a closed loop    N clients, each of which sends its next request when it has an answer
  a given rate     requests come at random with this mean rate per second, whether or not earlier ones are answered. The
                   time of a request begins when it was due

Prints medians over rounds: sentences and words of the answers per second, milliseconds until an answer, and requests without
a right answer. Two more are the server's milliseconds of CPU time per sentence, and the resident memory of its processes at
the end of a round. The last column is the speed of nmt divided by that of the other server within a round, with the smallest
and the largest ratio. Before the table, it prints how many of the first sentences each server translates as nmt does in f32.

The servers get the first --threads processors, and the clients the others: on a machine with two cores each side has
one. MODEL is a Transformer with one vocabulary for both sides. PYTHON has LibreTranslate and spaCy (pip install
libretranslate 'spacy<3.8'), which splits sentences by rules. Each request to LibreTranslate has its own connection,
because its server keeps at most a hundred.
"""
import argparse
import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from server import Client, NoAnswer, Server, free_port

FIELDS = [("Content-Type", "application/json")]
PEER = Path(__file__).parent / "peers" / "ctranslate2_server.py"
TYPES = {"f32": "float32", "int8": "int8"}
CHECK_CLIENTS = 8
GRACE = 10  # seconds for what is unanswered when the last request of a rate has come
MOST_UNDER_WAY = 4000
MOST_SECONDS = 30  # of a closed loop, whose clients are not all answered again then


class Program:
    """How a server is started."""

    def __init__(self, name, precision, command, ready_path, environment=None, keeps_open=True):
        self.name, self.precision, self.command, self.ready_path = name, precision, command, ready_path
        self.environment, self.keeps_open = environment, keeps_open

    def start(self, cpus, log):
        port = free_port()
        return Server(self.command(port), port, self.ready_path, log, cpus, self.environment)

    def measure(self, sentences, options, log, checked):
        """Figures by load, and the memory, of a round; `checked`: translations by server, filled where they are missing."""

        async def ask(server):
            first = await translate_all(self, server, sentences[: options.check])
            checked.setdefault((self.name, self.precision), first)
            found = {}
            for clients in options.clients:
                name = f"{clients} client{'s' * (clients > 1)}"
                found[name] = figures(*await closed_loop(self, server, sentences, clients, options))
            for rate in options.rates:
                found[f"{rate:g}/s"] = figures(*await given_rate(self, server, sentences, rate, options))
            return found, server.resident_bytes() / 2**20

        with self.start(options.server_cpus, log) as server:
            return asyncio.run(ask(server))


def nmt(options, precision):
    def command(port):
        settings = ["--precision", precision, "--threads", options.threads, "--port", port, "--device", "cpu"]
        return [
            options.nmt,
            "serve",
            "-m",
            f"en-de={options.model}",
            *settings,
            "--cpu-isa",
            options.cpu_isa,
            "--quiet",
        ]

    return Program("nmt", precision, command, "/health/ready")


def ctranslate2(options, precision, folder):
    def command(port):
        return [sys.executable, PEER, folder, precision, port, options.threads]

    return Program("CTranslate2", precision, command, "/health", options.isa_of_peer)


def libretranslate(options, precision, environment):
    program = Path(options.libretranslate).parent / "libretranslate"
    settings = ["--load-only", "en,de", "--disable-web-ui", "--disable-files-translation"]
    environment = {
        **environment,
        **options.isa_of_peer,
        "ARGOS_COMPUTE_TYPE": TYPES[precision],
        "ARGOS_INTER_THREADS": str(options.threads),
        "ARGOS_INTRA_THREADS": "1",
    }

    def command(port):
        return [program, "--host", "127.0.0.1", "--port", port, *settings]

    return Program("LibreTranslate", precision, command, "/health", environment, keeps_open=False)


class Lines(Server):
    """A program that answers lines."""

    def __init__(self, command, cpus, log):
        self._start(command, log, cpus, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        return self.ended()


class LineProgram:
    """nmt translate, whose settings are those of the server."""

    name = "nmt translate --flush"

    def __init__(self, options, precision):
        settings = ["--precision", precision, "--threads", options.threads, "--device", "cpu"]
        self.command = [options.nmt, "translate", "-m", options.model, *settings, "--cpu-isa", options.cpu_isa]
        self.precision = precision

    def measure(self, sentences, options, log, _):
        with Lines([*self.command, "--flush", "--quiet"], options.server_cpus, log) as lines:
            return {"1 client": figures(*line_by_line(lines, sentences, options))}, lines.resident_bytes() / 2**20


class Tally:
    """What came of requests."""

    def __init__(self):
        self.seconds, self.words, self.errors = [], 0, 0

    def add(self, seconds, translation):
        if translation is None:
            self.errors += 1
        else:
            self.seconds.append(seconds)
            self.words += len(translation.split())


async def translation_of(client, sentence):
    """Nothing where there is none."""
    body = json.dumps({"q": sentence, "source": "en", "target": "de"}).encode()
    try:
        status, _, answer = await client.ask("POST", "/translate", body, FIELDS)
        return json.loads(answer)["translatedText"] if status == 200 else None
    except (NoAnswer, ValueError, KeyError):
        return None


async def translate_all(program, server, sentences):
    """All translations, in order."""
    translations = [None] * len(sentences)
    numbers = iter(range(len(sentences)))

    async def work():
        client = Client(server.port, program.keeps_open)
        for number in numbers:
            translations[number] = await translation_of(client, sentences[number])
        client.close()

    await asyncio.gather(*(work() for _ in range(CHECK_CLIENTS)))
    return translations


async def closed_loop(program, server, sentences, clients, options):
    """Measures from when every client has had an answer, until each could have had another one."""
    tally, loop = Tally(), asyncio.get_running_loop()
    answered, is_over = 0, asyncio.Event()
    begin = end = cpu = None

    async def work(number):
        nonlocal answered, begin, end, cpu
        client = Client(server.port, program.keeps_open)
        place = number * len(sentences) // clients
        while not is_over.is_set():
            asked = loop.time()
            translation = await translation_of(client, sentences[place % len(sentences)])
            place += 1
            now = loop.time()
            if is_over.is_set():
                break
            answered += 1
            if begin is None:
                if answered >= max(clients, options.warm_up):
                    begin, cpu = now, server.cpu_seconds()
                continue
            tally.add(now - asked, translation)
            is_whole = len(tally.seconds) + tally.errors >= clients or now - begin >= MOST_SECONDS
            if now - begin >= options.seconds and is_whole:
                end, cpu = now, server.cpu_seconds() - cpu
                is_over.set()
            if translation is None:
                await asyncio.sleep(0.01)
        client.close()

    await asyncio.gather(*(work(number) for number in range(clients)))
    return tally, end - begin, cpu


async def given_rate(program, server, sentences, rate, options):
    tally, loop = Tally(), asyncio.get_running_loop()
    generator = random.Random(1)
    idle, under_way = [], set()

    async def work(due, sentence):
        client = idle.pop() if idle else Client(server.port, program.keeps_open)
        translation = await translation_of(client, sentence)
        tally.add(loop.time() - due, translation)
        idle.append(client)

    cpu = server.cpu_seconds()
    begin = due = loop.time()
    place = 0
    while due - begin < options.seconds:
        await asyncio.sleep(max(due - loop.time(), 0))
        if len(under_way) < MOST_UNDER_WAY:
            task = asyncio.create_task(work(due, sentences[place % len(sentences)]))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        else:
            tally.errors += 1
        place += 1
        due += generator.expovariate(rate)
    if under_way:
        _, late = await asyncio.wait(set(under_way), timeout=GRACE)
        tally.errors += len(late)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
    seconds = loop.time() - begin
    for client in idle:
        client.close()
    return tally, seconds, server.cpu_seconds() - cpu


def line_by_line(lines, sentences, options):
    for sentence in sentences[: options.warm_up]:
        lines.ask(sentence)
    tally, cpu, begin = Tally(), lines.cpu_seconds(), time.monotonic()
    while time.monotonic() - begin < options.seconds:
        asked = time.monotonic()
        translation = lines.ask(sentences[len(tally.seconds) % len(sentences)])
        tally.add(time.monotonic() - asked, translation)
    return tally, time.monotonic() - begin, lines.cpu_seconds() - cpu


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


def figures(tally, seconds, cpu):
    """Of a load in a round, in the order of the columns."""
    count = len(tally.seconds)
    return {
        "sentences": count / seconds,
        "words": tally.words / seconds,
        "p50": 1000 * percentile(tally.seconds, 0.5),
        "p99": 1000 * percentile(tally.seconds, 0.99),
        "errors": tally.errors,
        "cpu": 1000 * cpu / max(count + tally.errors, 1),
    }


def show_checks(checked):
    print("| server, precision | sentences translated | as nmt in f32 does |\n|---|--:|--:|")
    whole = checked.get(("nmt", "f32"))
    for (name, precision), translations in checked.items():
        there = sum(one is not None for one in translations)
        same = sum(a is not None and a == b for a, b in zip(whole, translations)) if whole else ""
        print(f"| {name}, {precision} | {there} of {len(translations)} | {same} |")
    print()


def show(programs, rounds):
    """`rounds`: what measure() gave, by program."""
    print(
        "| server | precision | load | sentences/s | words/s | p50, ms | p99, ms | errors | CPU, ms | MiB | nmt / it |"
    )
    print("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    loads = list(rounds[0][programs[0]][0])
    for load in loads:
        for program in programs:
            if load not in rounds[0][program][0]:
                continue
            found = [turn[program][0][load] for turn in rounds]
            cells = [
                median(one[name] for one in found) for name in ("sentences", "words", "p50", "p99", "errors", "cpu")
            ]
            memory = median(turn[program][1] for turn in rounds)
            mine = next((one for one in programs if one.name == "nmt" and one.precision == program.precision), None)
            ratio = ""
            if program.name != "nmt" and mine and "client" in load:
                pairs = [(turn[mine][0][load]["sentences"], turn[program][0][load]["sentences"]) for turn in rounds]
                ratios = [a / b for a, b in pairs if b > 0]
                ratio = f"{median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})" if ratios else ""
            sentences, words, p50, p99, errors, cpu = cells
            numbers = f"{sentences:.1f} | {words:.0f} | {p50:.1f} | {p99:.1f} | {errors:g} | {cpu:.2f} | {memory:.0f}"
            print(f"| {program.name} | {program.precision} | {load} | {numbers} | {ratio} |", flush=True)


def read_sentences(path):
    """Lines that are one sentence, in an order that is always the same."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    lines = [line for line in lines if line and not re.search(r"[.!?…]\W*\s", line)]
    random.Random(1).shuffle(lines)
    return lines


def programs_of(options, folder):
    from peers.argos_package import install
    from peers.ctranslate2_model import convert

    programs = []
    if "ctranslate2" in options.servers:
        (folder / "ctranslate2").mkdir()
        vocabulary = convert(options.model, str(folder / "ctranslate2"))
        (folder / "ctranslate2" / "source.spm").write_bytes(vocabulary.serialized_model_proto())
    if "libretranslate" in options.servers:
        environment = install(options.libretranslate, options.model, folder / "argos")
    for precision in options.precisions:
        if "nmt" in options.servers:
            programs.append(nmt(options, precision))
        if "flush" in options.servers and 1 in options.clients:
            programs.append(LineProgram(options, precision))
        if "ctranslate2" in options.servers:
            programs.append(ctranslate2(options, precision, folder / "ctranslate2"))
        if "libretranslate" in options.servers:
            programs.append(libretranslate(options, precision, environment))
    return programs


def parsed():
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("nmt", "model", "source"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument(
        "--libretranslate", metavar="PYTHON", help="that has LibreTranslate, which is left out without it"
    )
    parser.add_argument("--servers", nargs="+", default=["nmt", "flush", "ctranslate2", "libretranslate"])
    parser.add_argument("--precisions", nargs="+", default=list(TYPES), choices=TYPES)
    parser.add_argument("--clients", nargs="*", type=int, default=[1, 16, 256])
    parser.add_argument("--rates", nargs="*", type=float, default=[], help="requests a second")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4, help="of each load, at least")
    parser.add_argument("--warm-up", type=int, default=20, help="answers before a load counts (20)")
    parser.add_argument("--check", type=int, default=100, help="sentences that are compared (100)")
    parser.add_argument("--threads", type=int, default=max(1, cores - 1))
    parser.add_argument("--cpu-isa", default="auto", help="avx2: all do with AVX2")
    options = parser.parse_args()
    if options.libretranslate is None:
        options.servers = [name for name in options.servers if name != "libretranslate"]
    options.isa_of_peer = {"CT2_FORCE_CPU_ISA": "AVX2"} if options.cpu_isa == "avx2" else {}
    return options


def main():
    options = parsed()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))  # servers as well
    sentences = read_sentences(options.source)
    cpus = sorted(os.sched_getaffinity(0))
    options.server_cpus = cpus[: options.threads]
    if len(cpus) > options.threads:
        os.sched_setaffinity(0, cpus[options.threads :])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = programs_of(options, folder)
        rounds, checked = [], {}
        for turn in range(options.rounds):
            found = {}
            for program in programs[:: -1 if turn % 2 else 1]:
                begin = time.monotonic()
                found[program] = program.measure(sentences, options, folder / "log", checked)
                taken = time.monotonic() - begin
                print(
                    f"round {turn + 1}: {program.name}, {program.precision}: {taken:.0f} s", file=sys.stderr, flush=True
                )
            rounds.append(found)
    show_checks(checked)
    show(programs, rounds)


if __name__ == "__main__":
    main()
