#!/usr/bin/env python3
"""Measures how long one client of nmt serve waits for a sentence while another client sends as many requests as it may.

  beside.py [--requests N] [--settings "OPTIONS OF SERVE"] PROGRAM MODEL TEXT

The first client sends the lines of TEXT, one request after the other with a pause in between. It is first alone. Then a
second client with another address repeats one kind of request without a pause. The output has the median and the 99th
percentile of the first client's waits in milliseconds, and both as multiples of the waits alone. It also has the answers to
the second client, and the memory that the server takes in addition to that of the loaded model. --rounds repeats everything
and prints medians, for a busy machine. The script needs only Python's standard library.
"""
import argparse
import asyncio
import json
import shlex
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

from server import Client, NoAnswer, Server, free_port, request_bytes

JSON = ("Content-Type", "application/json")
PAUSE = 0.02  # seconds between requests of the first client


def greedy(lines):
    """Each kind of request of the second client: its name and its JSON."""
    text = " ".join(lines)
    yield "nothing", None
    yield "a text of 50,000 characters", {"text": text[:50_000]}
    yield "sentences of two words", {"text": "A b. " * 4000}
    yield "empty elements", {"text": "<x/>" * 24_000, "markup": True}
    yield "elements within each other", {"text": "<b>" * 2000 + text[:20_000] + "</b>" * 2000, "markup": True}
    yield "a sentence of 5,000 characters", {"text": text[:5_000].replace(".", ","), "split": False}
    yield "64 translations with alignments", {"text": text[:2_000], "split": False, "beam": 64, "n_best": 64, "alignment": True}
    yield "900 words to avoid", {"text": lines[:20], "avoid": [f"word{i}" for i in range(900)]}
    yield "64 translations of 30 lines", {"text": lines[:30], "beam": 64, "n_best": 64}
    yield "random bytes", b"\x00\xff" * 50_000


async def ask_on(port, request, is_over, counts):
    """Sends a request on and on from another address of this machine."""
    while not is_over.is_set():
        body = request if isinstance(request, bytes) else json.dumps(request).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
        try:
            writer.write(request_bytes("POST", "/v1/translate", body, [JSON], keeps_open=False))
            line = await reader.readline()
            counts[line.split(b" ")[1].decode() if line else "closed"] += 1
            await reader.read()
        except OSError:
            counts["closed"] += 1
        finally:
            writer.close()


async def waits(port, lines, requests):
    client, seconds = Client(port), []
    for number in range(requests):
        body = json.dumps({"text": lines[number % len(lines)]}).encode()
        begin = time.monotonic()
        status, _, answer = await client.ask("POST", "/v1/translate", body, [JSON])
        seconds.append(time.monotonic() - begin)
        if status != 200:
            raise NoAnswer(f"{status} {answer[:200]!r}")
        await asyncio.sleep(PAUSE)
    client.close()
    return sorted(seconds)


async def measure_beside(server, options, lines, request, idle):
    """Median and 99th percentile of the waits in milliseconds, the answers of the other client, and memory in MiB."""
    counts, is_over = Counter(), asyncio.Event()
    others = [asyncio.create_task(ask_on(server.port, request, is_over, counts))] if request else []
    await asyncio.sleep(1)
    seconds = await waits(server.port, lines, options.requests)
    is_over.set()
    for other in others:
        other.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    p50, p99 = (1000 * seconds[min(int(len(seconds) * part), len(seconds) - 1)] for part in (0.5, 0.99))
    memory = (server.resident_bytes() - idle) / 2**20
    await asyncio.sleep(3)
    return p50, p99, counts, memory


async def measure(server, options, lines):
    idle = server.resident_bytes()
    await waits(server.port, lines, options.requests // 4)  # so that buffers are there
    kinds = [(name, request) for name, request in greedy(lines) if request is None or options.only in name]
    found = {name: [] for name, _ in kinds}
    for _ in range(options.rounds):
        for name, request in kinds:
            found[name].append(await measure_beside(server, options, lines, request, idle))
    alone = found[kinds[0][0]]
    for name, rounds in found.items():
        p50, p99, memory = (median(one[i] for one in rounds) for i in (0, 1, 3))
        times50, times99 = (median(one[i] / other[i] for one, other in zip(rounds, alone)) for i in (0, 1))
        counts = sum((one[2] for one in rounds), Counter())
        answers = ", ".join(f"{count} x {status}" for status, count in sorted(counts.items()))
        print(f"| {name} | {p50:.0f} | {p99:.0f} | {times50:.1f} | {times99:.1f} | {answers or '-'} | {memory:.0f} MiB |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "model", "text"):
        parser.add_argument(name)
    parser.add_argument("--requests", type=int, default=300, help="of the first client, each time")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="", help="kinds of requests whose names have this in them")
    parser.add_argument("--settings", default="", help="of nmt serve")
    options = parser.parse_args()
    with open(options.text, encoding="utf-8") as file:
        lines = [line.strip() for line in file if 20 < len(line) < 200][:200]
    port = free_port()
    command = [options.program, "serve", "-m", options.model, "--port", port, "--device", "cpu"]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with Server(command + shlex.split(options.settings), port, "/health/ready", log) as server:
            print("| the other client asks for | median ms | 99 % ms | times | times | its answers | memory |")
            print("|---|--:|--:|--:|--:|---|--:|")
            asyncio.run(measure(server, options, lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
