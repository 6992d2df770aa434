#!/usr/bin/env python3
"""Tests nmt serve for minutes with many clients at the same time: some send correct requests, others vanish, stall or send
garbage. Meanwhile models are reopened and make room for each other.

  soak.py [--minutes N] [--seed N] [--keep FOLDER] PROGRAM MODEL TEXT

The right answer to each correct request is known: what the server answered when it had no other requests. The exit code
is 1, and faults are printed, in these cases:

- an answer is wrong or missing, or a refusal has the wrong status;
- memory has grown since the first third of the time, or file descriptors stay open;
- the server does not end with 0, with the last request answered.

Needs only Python's standard library.
"""
import argparse
import asyncio
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
import urllib.parse
from collections import Counter
from pathlib import Path
from statistics import quantiles

from mischief import ANSWER_SECONDS, JSON, KEYS, MISCHIEF, MODELS, MOST_CHARACTERS, RARE, TEXTS
from mischief import connect, frame, handshake, misbehave
from server import Client, NoAnswer, Server, free_port

FORM = ("Content-Type", "application/x-www-form-urlencoded")
GOOD, BAD = 6, 10  # clients
GROWTH, GROWTH_SHARE = 20 << 20, 0.05  # of memory
SEARCHES = (
    {},
    {"beam": 1},
    {"beam": 8, "n_best": 3},
    {"split": False, "token_scores": True},
    {"sample": True, "seed": 7},
)


class Soak:
    def __init__(self, server, options):
        self.server, self.options = server, options
        self.random = random.Random(options.seed)
        self.counts, self.faults = Counter(), []
        self.is_over = asyncio.Event()
        self.memory = []  # seconds and bytes

    def fault(self, text):
        self.faults.append(text)
        print(f"fault: {text}", file=sys.stderr, flush=True)

    def key(self):
        return ("Authorization", f"Bearer {self.random.choice(KEYS)}")

    async def pause(self, seconds):
        """Waits for so long, or until it is over."""
        try:
            await asyncio.wait_for(self.is_over.wait(), seconds)
        except asyncio.TimeoutError:
            pass


# Requests whose answers are known


def questions(texts):
    """Name, path, content type and body of each request."""
    for number, text in enumerate(texts):
        for model, (source, target) in MODELS.items():
            search = SEARCHES[number % len(SEARCHES)]
            v1 = {"text": text, "model": model, **search}
            yield "v1", "/v1/translate", JSON, json.dumps(v1).encode()
            pair = {"q": text, "source": source, "target": target}
            yield "LibreTranslate", "/translate", JSON, json.dumps(pair).encode()
            yield "form", "/translate", FORM, urllib.parse.urlencode(pair).encode()
            yield "OpenNMT", "/translator/translate", JSON, json.dumps([{"src": text, "id": model}]).encode()
        stream = {"text": text, "model": "en-de", "stream": True}
        yield "stream", "/v1/translate", JSON, json.dumps(stream).encode()
        yield "web socket", None, None, text.encode()


async def ask_web_socket(soak, text):
    reader, writer = await connect(soak)
    try:
        writer.write(handshake(soak))
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise NoAnswer(f"no web socket: {head[:100]!r}")
        writer.write(frame(text))
        first, size = await reader.readexactly(2)
        if size == 126:
            (size,) = struct.unpack(">H", await reader.readexactly(2))
        answer = await reader.readexactly(size)
        if first != 0x81:
            raise NoAnswer(f"a frame of kind {first:#x}: {answer[:100]!r}")
        writer.write(frame(b"", kind=8))
        return answer
    finally:
        writer.close()


async def ask(soak, client, question):
    """Status and body of the answer."""
    name, path, kind, body = question
    if name == "web socket":
        return 200, await ask_web_socket(soak, body)
    status, _, answer = await client.ask("POST", path, body, [kind, soak.key()])
    return status, answer


async def ask_until_answered(soak, client, question):
    """Asks again after a moment, as the answer 429 says, while too many sentences wait."""
    while True:
        status, answer = await ask(soak, client, question)
        if status != 429:
            return status, answer
        soak.counts["asked again after 429"] += 1
        await soak.pause(soak.random.uniform(0.1, 1))


async def behave(soak, known):
    """Asks on, now by one connection, now by another."""
    client = Client(soak.server.port)
    while not soak.is_over.is_set():
        question, right = soak.random.choice(known)
        try:
            status, answer = await asyncio.wait_for(ask_until_answered(soak, client, question), ANSWER_SECONDS)
        except (NoAnswer, OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
            soak.fault(f"no answer to {question[0]} {question[3][:80]!r}: {type(error).__name__} {error}")
            client.close()
        else:
            soak.counts[f"answered: {question[0]}"] += 1
            if status != 200:
                soak.fault(f"{status} for {question[0]} {question[3][:80]!r}: {answer[:200]!r}")
            elif answer != right:
                soak.fault(f"wrong answer to {question[0]} {question[3][:80]!r}: {answer[:300]!r}, not {right[:300]!r}")
        if soak.random.random() < 0.1:
            client.close()
        await soak.pause(soak.random.uniform(0, 0.1))
    client.close()


# Its operators


async def reload(soak):
    """Opens models anew, by a signal or by a request; now and then while the access log is renamed."""
    client = Client(soak.server.port)
    while not soak.is_over.is_set():
        if soak.random.random() < 0.5:
            if soak.random.random() < 0.2:
                os.replace(soak.folder / "access", soak.folder / f"access.{soak.counts['SIGHUP']}")
            soak.server.process.send_signal(signal.SIGHUP)
            soak.counts["SIGHUP"] += 1
        else:
            try:
                status, _, _ = await client.ask("POST", "/reload", b"", [soak.key()])
                if status != 202:
                    soak.fault(f"/reload: {status}")
            except NoAnswer as error:
                soak.fault(f"/reload: {error}")
            soak.counts["/reload"] += 1
        await soak.pause(soak.random.uniform(0.2, 3))
    client.close()


async def watch(soak):
    begin = time.monotonic()
    while not soak.is_over.is_set():
        if soak.server.process.poll() is not None:
            soak.fault(f"the server has ended: {soak.server.process.returncode}")
            soak.is_over.set()
            return
        soak.memory.append((time.monotonic() - begin, soak.server.resident_bytes()))
        await soak.pause(0.5)


def check_memory(soak, seconds):
    """Compares ninths of the time, from the end of the first third on: what a tenth of the samples is below, as others
    depend on how long the texts of the moment are."""
    early = quantiles((size for at, size in soak.memory if seconds / 3 <= at < seconds * 4 / 9), n=10)[0]
    late = quantiles((size for at, size in soak.memory if at >= seconds * 8 / 9), n=10)[0]
    most = max(size for _, size in soak.memory)
    print(f"memory: {early / 2**20:.1f} MiB, {late / 2**20:.1f} MiB at the end, {most / 2**20:.1f} MiB at most")
    if late - early > max(GROWTH, GROWTH_SHARE * early):
        soak.fault(f"memory has grown by {(late - early) / 2**20:.1f} MiB")


async def check_descriptors(soak, before):
    after = soak.server.descriptors()
    for _ in range(30):
        if after <= before:
            break
        await asyncio.sleep(0.5)
        after = soak.server.descriptors()
    print(f"descriptors: {before} before, {after} after; threads: {soak.server.threads()}")
    if after > before:
        soak.fault(f"{after - before} descriptors stay open")


async def check_end(soak):
    """What is under way at the end is answered."""
    client = Client(soak.server.port)
    body = json.dumps({"text": soak.texts * 3, "model": "en-de"}).encode()
    last = asyncio.create_task(client.ask("POST", "/v1/translate", body, [JSON, soak.key()]))
    await asyncio.sleep(0.2)
    is_under_way = not last.done()
    soak.server.process.send_signal(signal.SIGTERM)
    try:
        status, _, answer = await last
        if status != 200 or len(json.loads(answer)["translations"]) != 3 * TEXTS:
            soak.fault(f"the last request: {status} {answer[:200]!r}")
    except (NoAnswer, ValueError, KeyError) as error:
        soak.fault(f"the last request: {error}")
    code = await asyncio.to_thread(soak.server.ended)  # a second signal would not let it finish
    print(f"exit code: {code}, the last request {'was under way' if is_under_way else 'had its answer before'}")
    if code != 0:
        soak.fault(f"exit code {code}")


def check_log(soak):
    """Each line of the access log is whole."""
    statuses = Counter()
    for path in soak.folder.glob("access*"):
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
                if entry["path"] != "/health/ready":
                    statuses[entry["status"]] += 1
            except (ValueError, KeyError):
                soak.fault(f"the access log: {line[:100]!r}")
    print("access log: " + ", ".join(f"{count} of {status}" for status, count in sorted(statuses.items())))
    for status in (500, 503):
        if statuses[status] > 0:
            soak.fault(f"{statuses[status]} requests were answered by {status}")


async def run(soak):
    client = Client(soak.server.port)
    _, _, page = await client.ask("GET", "/")
    soak.page_bytes = len(page)
    soak.known = []
    for question in questions(soak.texts):
        status, answer = await ask(soak, client, question)
        if status != 200:
            raise RuntimeError(f"{question[:2]}: {status} {answer[:200]!r}")
        soak.known.append((question, answer))
    client.close()
    await asyncio.sleep(3)
    print(f"{len(soak.known)} requests, {len({answer for _, answer in soak.known})} answers; begins", flush=True)
    before, seconds = soak.server.descriptors(), 60 * soak.options.minutes
    often = [kind for kind in MISCHIEF if kind not in RARE]
    work = [behave(soak, soak.known) for _ in range(GOOD)]
    work += [misbehave(soak, RARE if i < BAD // 3 else often) for i in range(BAD)]
    work = [asyncio.create_task(one) for one in [*work, reload(soak), watch(soak)]]
    await soak.pause(seconds)
    soak.is_over.set()
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, BaseException):
            soak.fault(f"the soak itself: {result!r}")
    for name, count in sorted(soak.counts.items()):
        print(f"{count:8} {name}")
    if soak.server.process.poll() is None:
        check_memory(soak, seconds)
        await check_descriptors(soak, before)
        await check_end(soak)
        check_log(soak)


def start(options, folder):
    keys = "".join(f"{hashlib.sha256(key.encode()).hexdigest()} {key} role=operator\n" for key in KEYS)
    (folder / "keys").write_text(keys)
    port, size = free_port(), os.path.getsize(options.model)
    command = [
        options.program,
        "serve",
        "--port",
        port,
        "--api-keys",
        folder / "keys",
        "--threads",
        1,
        "--device",
        "cpu",
    ]
    command += [part for name in MODELS for part in ("-m", f"{name}={options.model}")]
    command += ["--memory", size * 5 // 2, "--max-characters", MOST_CHARACTERS, "--access-log", folder / "access"]
    command += ["--cache", 30]
    return Server(command, port, "/health/ready", folder / "log")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "model", "text"):
        parser.add_argument(name)
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", metavar="FOLDER", help="where the logs of the server and samples of its memory are kept")
    options = parser.parse_args()
    with open(options.text, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))  # the server as well
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with start(options, folder) as server:
            soak = Soak(server, options)
            soak.folder = folder
            # One to three sentences, and nothing that another text begins with.
            soak.texts = [f"{i} " + " ".join(lines[3 * i : 3 * i + 1 + i % 3]) for i in range(TEXTS)]
            asyncio.run(run(soak))
        if options.keep:
            samples = "".join(f"{at:.1f} {size}\n" for at, size in soak.memory)
            (folder / "memory").write_text("seconds bytes\n" + samples)
            shutil.copytree(folder, options.keep, dirs_exist_ok=True)
    print(f"{len(soak.faults)} faults")
    return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main())
