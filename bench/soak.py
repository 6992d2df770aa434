#!/usr/bin/env python3
"""Whether nmt serve stands what clients do for minutes: some ask as they should, others vanish, stall and send garbage,
and models are opened anew and make room for each other all the while.

  soak.py [--minutes N] [--seed N] [--keep FOLDER] PROGRAM MODEL TEXT

Each request of a client that behaves has an answer that is known: what the server answered when it was asked nothing
else. At the end there are faults, and the exit code is 1, where an answer was another one, or missing; where a refusal
had another status than it should; where memory has grown since the first third of the time; where descriptors stay
open; or where the server does not end with 0, with the last request answered. Needs Python's standard library alone.
"""
import argparse
import asyncio
import base64
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
import urllib.parse
from collections import Counter
from pathlib import Path
from statistics import median

from server import Client, NoAnswer, Server, free_port, request_bytes

JSON = ("Content-Type", "application/json")
FORM = ("Content-Type", "application/x-www-form-urlencoded")
MODELS = {
    "en-de": ("en", "de"),
    "en-fr": ("en", "fr"),
    "en-it": ("en", "it"),
}  # the same file, two of them open at a time
KEYS = ("first", "second", "third")
TEXTS = 40
GOOD, BAD = 6, 10  # clients
MOST_CHARACTERS = 20_000
MOST_BYTES = 12 * MOST_CHARACTERS + (1 << 16)  # of a body, as the server counts
GROWTH, GROWTH_SHARE = 20 << 20, 0.05  # of memory
ANSWER_SECONDS = 90  # the server has 60
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


async def ask(soak, client, question):
    """Status and body of the answer."""
    name, path, kind, body = question
    if name == "web socket":
        return 200, await ask_web_socket(soak, body)
    status, _, answer = await client.ask("POST", path, body, [kind, soak.key()])
    return status, answer


async def behave(soak, known):
    """Asks on, now by one connection, now by another."""
    client = Client(soak.server.port)
    while not soak.is_over.is_set():
        question, right = soak.random.choice(known)
        try:
            status, answer = await asyncio.wait_for(ask(soak, client, question), ANSWER_SECONDS)
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


# Web sockets


def handshake(soak):
    key = base64.b64encode(soak.random.randbytes(16)).decode()
    fields = [("Upgrade", "websocket"), ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13"), soak.key()]
    return request_bytes("GET", "/translate", fields=fields).replace(b"Connection: keep-alive", b"Connection: Upgrade")


def frame(payload, kind=1):
    """A whole message of text, masked by zeros."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size)
    return bytes([0x80 | kind]) + length + bytes(4) + payload


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


# Clients that do not behave


async def connect(soak):
    return await asyncio.open_connection("127.0.0.1", soak.server.port)


def vanish(soak, writer):
    """Closes, half of the time without a good-bye."""
    if soak.random.random() < 0.5 and not writer.is_closing():
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.close()


def long_request(soak, **settings):
    text = " ".join(soak.texts[soak.random.randrange(TEXTS)] for _ in range(soak.random.randrange(1, 40)))
    body = json.dumps({"text": text, "model": soak.random.choice(list(MODELS)), **settings}).encode()
    return request_bytes("POST", "/v1/translate", body, [JSON, soak.key()])


async def vanish_within_request(soak):
    _, writer = await connect(soak)
    request = long_request(soak)
    writer.write(request[: soak.random.randrange(len(request))])
    await soak.pause(soak.random.uniform(0, 0.1))
    vanish(soak, writer)


async def vanish_before_answer(soak):
    _, writer = await connect(soak)
    writer.write(long_request(soak))
    await soak.pause(soak.random.uniform(0, 0.3))
    vanish(soak, writer)


async def vanish_within_answer(soak):
    reader, writer = await connect(soak)
    writer.write(long_request(soak, stream=True))
    try:
        await asyncio.wait_for(reader.read(soak.random.randrange(1, 2000)), 5)
    except (OSError, asyncio.TimeoutError):
        pass
    vanish(soak, writer)


async def vanish_from_web_socket(soak):
    reader, writer = await connect(soak)
    writer.write(handshake(soak))
    await reader.readuntil(b"\r\n\r\n")
    writer.write(frame("\n".join(soak.texts[:4]).encode()))
    await soak.pause(soak.random.uniform(0, 0.3))
    vanish(soak, writer)


async def stall(soak):
    """Says no more in the middle of a request; the server closes after 30 seconds."""
    reader, writer = await connect(soak)
    request = long_request(soak)
    writer.write(request[: soak.random.randrange(1, len(request))])
    await closes(soak, reader, soak.random.choice((5, 45)), 40)
    vanish(soak, writer)


async def idle(soak):
    """Opens connections, and says nothing."""
    opened = [await connect(soak) for _ in range(50)]
    await soak.pause(soak.random.uniform(1, 10))
    for _, writer in opened:
        vanish(soak, writer)


async def read_nothing(soak):
    """Asks for more than buffers hold, and takes none of it; the server closes after 10 seconds."""
    reader, writer = await connect(soak)
    request = request_bytes("GET", "/") * 400
    writer.transport.pause_reading()
    writer.write(request)
    begin = time.monotonic()
    await soak.pause(25)
    taken = time.monotonic() - begin
    writer.transport.resume_reading()
    size = 0
    try:
        while data := await asyncio.wait_for(reader.read(1 << 20), 5):
            size += len(data)
    except (OSError, asyncio.TimeoutError):
        pass
    if taken > 20 and size > soak.page_bytes * 390:
        soak.fault("a client that reads nothing for 25 seconds is answered on")
    vanish(soak, writer)


async def closes(soak, reader, patience, most):
    """Reads until the server closes, for so long; it is a fault where that takes longer than `most`."""
    begin = time.monotonic()
    try:
        while await asyncio.wait_for(reader.read(1 << 16), patience):
            pass
    except OSError:
        pass
    except asyncio.TimeoutError:
        if time.monotonic() - begin > most:
            soak.fault(f"not closed within {most} seconds")


async def send_garbage(soak):
    post = b"POST /translate HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    kinds = (
        soak.random.randbytes(soak.random.randrange(1, 5000)),
        soak.random.randbytes(500) + b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + soak.random.randbytes(500),  # TLS
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /%zz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: localhost\r\n\r\n",
        post + b"Content-Length: -5\r\n\r\nabc",
        post + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
        b"\r\n" * 1000,
        b"GET " + b"\0" * 100 + b" HTTP/1.1\r\n\r\n",
    )
    reader, writer = await connect(soak)
    writer.write(soak.random.choice(kinds))
    if soak.random.random() < 0.8:
        writer.write_eof()
    try:
        answer = await asyncio.wait_for(reader.read(1 << 16), 5)
        if answer.startswith(b"HTTP/1.1 ") and answer[9:10] != b"4":
            soak.fault(f"garbage is answered by {answer[:60]!r}")
    except (OSError, asyncio.TimeoutError):
        pass
    vanish(soak, writer)


async def send_garbage_to_web_socket(soak):
    reader, writer = await connect(soak)
    writer.write(handshake(soak))
    await reader.readuntil(b"\r\n\r\n")
    kinds = (
        soak.random.randbytes(200),
        b"\x81\x05hello",  # not masked
        b"\x81\xff" + struct.pack(">Q", 1 << 62) + bytes(4),
        b"\x81\xff" + struct.pack(">Q", 50 << 20) + bytes(4) + bytes(100_000),
        frame(b"\xff\xfe\xfd"),  # no UTF-8
        frame(b"", kind=3),
        b"\x09\x80" + bytes(4),  # a ping in parts
        frame(b"x" * (MOST_CHARACTERS + 1)),
        frame(b"\n" * 5000),
    )
    writer.write(soak.random.choice(kinds))
    writer.write(frame(b"", kind=8))
    await closes(soak, reader, 5, 60)
    vanish(soak, writer)


async def send_huge_body(soak):
    """Beyond the limit: told before it is sent, or in chunks."""
    reader, writer = await connect(soak)
    head = f"POST /translate HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {KEYS[0]}\r\n".encode()
    is_chunked = soak.random.random() < 0.5
    if is_chunked:
        chunk = b"10000\r\n" + b"a" * 65536 + b"\r\n"
        body = b"Transfer-Encoding: chunked\r\n\r\n" + chunk * (MOST_BYTES // 65536 + 5)
    else:
        body = f"Content-Length: {MOST_BYTES + 1}\r\n\r\n".encode() + b"a" * soak.random.choice((0, 1000, MOST_BYTES))
    writer.write(head + body)
    await expect(soak, reader, writer, 413, "a body in chunks that is too large" if is_chunked else "a huge body")


async def send_wrong_request(soak):
    key = soak.key()
    text = json.dumps({"text": "A dog.", "model": "en-de"}).encode()
    kinds = (
        (
            413,
            "POST",
            "/v1/translate",
            json.dumps({"text": "a" * (MOST_CHARACTERS + 1), "model": "en-de"}).encode(),
            key,
        ),
        (413, "POST", "/v1/translate", json.dumps({"text": "Oh. " * 4990, "model": "en-de"}).encode(), key),
        (400, "POST", "/v1/translate", b'{"text": "a', key),
        (400, "POST", "/v1/translate", b"[" * 100_000, key),
        (400, "POST", "/v1/translate", b'{"text": "\xff\xfe", "model": "en-de"}', key),
        (400, "POST", "/v1/translate", json.dumps({"text": "a", "model": "en-de", "beam": -1}).encode(), key),
        (400, "POST", "/v1/translate", json.dumps({"text": "a", "model": "en-de", "baem": 4}).encode(), key),
        (404, "POST", "/v1/translate", json.dumps({"text": "a", "model": "none"}).encode(), key),
        (400, "POST", "/translate", json.dumps({"q": "a", "source": "en", "target": "xx"}).encode(), key),
        (401, "POST", "/v1/translate", text, ("X-None", "none")),
        (403, "POST", "/v1/translate", text, ("Authorization", "Bearer wrong")),
        (403, "POST", "/v1/translate", text, ("Origin", "http://elsewhere.example")),
        (404, "GET", "/none", b"", key),
        (405, "POST", "/languages", b"{}", key),
        (431, "GET", "/" + "a" * 20_000, b"", key),
        (431, "GET", "/", b"", ("X-Long", "a" * 20_000)),
    )
    status, method, path, body, field = soak.random.choice(kinds)
    reader, writer = await connect(soak)
    writer.write(request_bytes(method, path, body, [JSON, field]))
    await expect(soak, reader, writer, status, f"{method} {path[:40]} {body[:60]!r} {field[0]}")


async def expect(soak, reader, writer, status, what):
    try:
        line = (await asyncio.wait_for(reader.readline(), ANSWER_SECONDS)).decode("latin-1")
        if not line.startswith(f"HTTP/1.1 {status} "):
            soak.fault(f"{what}: {line!r}, not {status}")
        soak.counts[f"refused: {status}"] += 1
    except (OSError, asyncio.TimeoutError) as error:
        soak.fault(f"{what}: {type(error).__name__}, not {status}")
    writer.close()


async def ask_in_a_hurry(soak):
    """For less time than it takes, perhaps."""
    body = json.dumps({"text": soak.texts, "model": "en-de", "timeout": soak.random.uniform(0.001, 2)}).encode()
    client = Client(soak.server.port)
    try:
        status, _, _ = await asyncio.wait_for(
            client.ask("POST", "/v1/translate", body, [JSON, soak.key()]), ANSWER_SECONDS
        )
        soak.counts[f"in a hurry: {status}"] += 1
        if status not in (200, 504):
            soak.fault(f"in a hurry: {status}")
    except (NoAnswer, asyncio.TimeoutError) as error:
        soak.fault(f"in a hurry: {type(error).__name__} {error}")
    client.close()


async def send_slowly(soak):
    """A byte at a time, which is answered all the same."""
    question, right = soak.random.choice([one for one in soak.known if one[0][0] == "LibreTranslate"])
    reader, writer = await connect(soak)
    for byte in request_bytes("POST", question[1], question[3], [question[2], soak.key()], keeps_open=False):
        writer.write(bytes([byte]))
        await asyncio.sleep(soak.random.uniform(0, 0.02))
    try:
        answer = await asyncio.wait_for(reader.read(), ANSWER_SECONDS)
        if not answer.startswith(b"HTTP/1.1 200 ") or not answer.endswith(b"\r\n\r\n" + right):
            soak.fault(f"a slow request: {answer[:300]!r}, not {right[:100]!r}")
    except (OSError, asyncio.TimeoutError) as error:
        soak.fault(f"a slow request: {type(error).__name__}")
    writer.close()


async def send_many_at_once(soak):
    """Requests one after the other without waiting for answers, which come in their order."""
    chosen = soak.random.choices([one for one in soak.known if one[0][0] in ("v1", "LibreTranslate")], k=8)
    client = Client(soak.server.port)
    await client.open()
    for question, _ in chosen:
        client.writer.write(request_bytes("POST", question[1], question[3], [question[2], soak.key()]))
    try:
        for question, right in chosen:
            status, _, answer = await asyncio.wait_for(client.answer(), ANSWER_SECONDS)
            if (status, answer) != (200, right):
                soak.fault(f"one of many: {status} {answer[:300]!r}, not {right[:300]!r}")
    except (AttributeError, OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
        soak.fault(f"one of many: {type(error).__name__} {error}")
    client.close()


MISCHIEF = (
    vanish_within_request,
    vanish_before_answer,
    vanish_within_answer,
    vanish_from_web_socket,
    stall,
    idle,
    read_nothing,
    send_garbage,
    send_garbage_to_web_socket,
    send_huge_body,
    send_wrong_request,
    ask_in_a_hurry,
    send_slowly,
    send_many_at_once,
)
RARE = (stall, idle, read_nothing)  # which take long


async def misbehave(soak, kinds):
    while not soak.is_over.is_set():
        kind = soak.random.choice(kinds)
        soak.counts[f"mischief: {kind.__name__}"] += 1
        try:
            await kind(soak)
        except (OSError, EOFError, ValueError) as error:  # the server may close before all is sent
            soak.counts[f"cut off: {kind.__name__}"] += 1
            if isinstance(error, ConnectionRefusedError):
                soak.fault("connections are refused")
        await soak.pause(soak.random.uniform(0, 0.2))


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
    """From behind the first third to the end, each over a ninth of the time."""
    early = median(size for at, size in soak.memory if seconds / 3 <= at < seconds * 4 / 9)
    late = median(size for at, size in soak.memory if at >= seconds * 8 / 9)
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
    keys = "".join(f"{hashlib.sha256(key.encode()).hexdigest()} {key}\n" for key in KEYS)
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
    parser.add_argument("--keep", metavar="FOLDER", help="where the logs of the server are kept")
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
            shutil.copytree(folder, options.keep, dirs_exist_ok=True)
    print(f"{len(soak.faults)} faults")
    return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main())
