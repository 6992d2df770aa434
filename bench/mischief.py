"""Clients of nmt serve for soak.py that vanish, stall and send garbage. Each is a coroutine that takes the soak."""
import asyncio
import base64
import json
import socket
import struct
import time

from server import Client, NoAnswer, request_bytes

JSON = ("Content-Type", "application/json")
MODELS = {
    "en-de": ("en", "de"),
    "en-fr": ("en", "fr"),
    "en-it": ("en", "it"),
}  # the same file, two of them open at a time
KEYS = ("first", "second", "third")
TEXTS = 40
MOST_CHARACTERS = 20_000
MOST_BYTES = 12 * MOST_CHARACTERS + (1 << 16)  # of a body, as the server counts
ANSWER_SECONDS = 90  # the server has 60


async def connect(soak):
    return await asyncio.open_connection("127.0.0.1", soak.server.port)


def handshake(soak):
    key = base64.b64encode(soak.random.randbytes(16)).decode()
    fields = [("Upgrade", "websocket"), ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13"), soak.key()]
    return request_bytes("GET", "/translate", fields=fields).replace(b"Connection: keep-alive", b"Connection: Upgrade")


def frame(payload, kind=1):
    """A whole message of text, masked by zeros."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size)
    return bytes([0x80 | kind]) + length + bytes(4) + payload


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


BUSY = " 429 "  # the answer to a correct request while too much text waits


async def expect(soak, reader, writer, status, what):
    """Reads the status of an answer. A correct request may also find the server busy."""
    try:
        line = (await asyncio.wait_for(reader.readline(), ANSWER_SECONDS)).decode("latin-1")
        while line.startswith("HTTP/1.1 100 "):  # by which the server asks whether the client is there
            await reader.readline()
            line = (await asyncio.wait_for(reader.readline(), ANSWER_SECONDS)).decode("latin-1")
        if status == 200 and line.startswith("HTTP/1.1" + BUSY):
            soak.counts["busy: 429"] += 1
        elif not line.startswith(f"HTTP/1.1 {status} "):
            soak.fault(f"{what}: {line!r}, not {status}")
        else:
            soak.counts[f"expected: {status}"] += 1
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
        if status not in (200, 429, 504):
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
        is_right = answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"\r\n\r\n" + right)
        if not is_right and not answer.startswith(b"HTTP/1.1" + BUSY.encode()):
            soak.fault(f"a slow request: {answer[:300]!r}, not {right[:100]!r}")
    except (OSError, asyncio.TimeoutError) as error:
        soak.fault(f"a slow request: {type(error).__name__}")
    writer.close()


def greedy_requests(soak):
    """Path, content type and body of requests that ask for a lot; each may be answered, refused, or take too long."""
    long = " ".join(soak.texts)
    model, timeout = soak.random.choice(list(MODELS)), soak.random.uniform(0.2, 3)
    own = {"model": model, "timeout": timeout}
    yield JSON, {"text": "A b. " * 3990, **own}
    yield JSON, {"text": "<x/>" * 4990, "markup": True, **own}
    yield JSON, {"text": "<p>" * 6000, "markup": True, **own}
    yield JSON, {"text": "<b>" * 500 + long[:8000] + "</b>" * 500, "markup": True, **own}
    yield JSON, {"text": long[:5000], "split": False, "beam": 64, "n_best": 64, "alignment": True, **own}
    yield JSON, {"text": soak.texts, "avoid": [f"word{i}" for i in range(300)], **own}
    yield JSON, {"text": "\u200b\u0301" * 9000, **own}
    yield JSON, {"text": "a" * 19_000, **own}


async def ask_greedily(soak):
    field, request = soak.random.choice(list(greedy_requests(soak)))
    what = f"{request['text'][:30]!r} {list(request)}"
    client = Client(soak.server.port)
    try:
        question = client.ask("POST", "/v1/translate", json.dumps(request).encode(), [field, soak.key()])
        status, _, answer = await asyncio.wait_for(question, ANSWER_SECONDS)
        soak.counts[f"greedy: {status}"] += 1
        if status not in (200, 400, 413, 429, 504):
            soak.fault(f"greedy {what}: {status} {answer[:300]!r}")
    except (NoAnswer, asyncio.TimeoutError) as error:
        soak.fault(f"greedy {what}: {type(error).__name__} {error}")
    client.close()


async def send_a_form_in_parts(soak):
    """Two texts as multipart/form-data, whole or broken off."""
    mark = "mark" + "".join(soak.random.choices("abc123", k=10))
    fields = [("q", "A dog."), ("q", "A cat."), ("source", "en"), ("target", "de")]
    parts = "".join(f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields)
    is_whole = soak.random.random() < 0.5
    body = (parts + f"--{mark}--\r\n" if is_whole else parts[: soak.random.randrange(1, len(parts) - 1)]).encode()
    kind = ("Content-Type", f"multipart/form-data; boundary={mark}")
    reader, writer = await connect(soak)
    writer.write(request_bytes("POST", "/translate", body, [kind, soak.key()]))
    await expect(soak, reader, writer, 200 if is_whole else 400, "a form in parts")


async def close_one_side(soak):
    """Says that nothing more comes, and waits for the answer."""
    reader, writer = await connect(soak)
    body = json.dumps({"text": soak.texts[0], "model": "en-de"}).encode()
    writer.write(request_bytes("POST", "/v1/translate", body, [JSON, soak.key()]))
    writer.write_eof()
    await expect(soak, reader, writer, 200, "a client that has closed its side")


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
            if status != 429 and (status, answer) != (200, right):
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
    ask_greedily,
    send_a_form_in_parts,
    close_one_side,
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
