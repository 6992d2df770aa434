#!/usr/bin/env python3
"""A typical translation server based on CTranslate2, for serve.py: requests in LibreTranslate's form with one sentence
each, which share batches.

  ctranslate2_server.py FOLDER f32|int8 PORT THREADS

FOLDER has a model of CTranslate2 and its vocabulary, source.spm. A batch has the sentences that wait when a translator
is free, at most 32; the first of them waits at most 5 ms for others. Each thread translates its own batch.
"""
import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import ctranslate2
import sentencepiece

BATCH, DELAY = 32, 0.005
TYPES = {"f32": "float32", "int8": "int8"}


class Batcher:
    def __init__(self, folder, precision, threads):
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=folder + "/source.spm")
        self.translator = ctranslate2.Translator(
            folder, compute_type=TYPES[precision], inter_threads=threads, intra_threads=1
        )
        self.pool = ThreadPoolExecutor(threads)
        self.waiting = asyncio.Queue()
        self.workers = [asyncio.create_task(self.work()) for _ in range(threads)]

    async def translate(self, text):
        result = asyncio.get_running_loop().create_future()
        await self.waiting.put((text, result))
        return await result

    async def work(self):
        loop = asyncio.get_running_loop()
        while True:
            batch = await self.next_batch()
            try:
                translations = await loop.run_in_executor(self.pool, self.translations, [text for text, _ in batch])
                for (_, result), translation in zip(batch, translations):
                    result.set_result(translation)
            except Exception as error:  # which those who wait are told of
                for _, result in batch:
                    if not result.done():
                        result.set_exception(error)

    async def next_batch(self):
        loop = asyncio.get_running_loop()
        batch = [await self.waiting.get()]
        last = loop.time() + DELAY
        while len(batch) < BATCH:
            if self.waiting.empty():
                try:
                    batch.append(await asyncio.wait_for(self.waiting.get(), last - loop.time()))
                except asyncio.TimeoutError:
                    break
            else:
                batch.append(self.waiting.get_nowait())
        return batch

    def translations(self, texts):
        found = self.translator.translate_batch(
            self.pieces.encode(texts, out_type=str), beam_size=4, length_penalty=0.6, max_decoding_length=256
        )
        return [self.pieces.decode(result.hypotheses[0]) for result in found]


async def read_request(reader):
    """Method, path and body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ")
    fields = (line.partition(":") for line in head[1:-2])
    length = next((int(value) for name, _, value in fields if name.lower() == "content-length"), 0)
    return method, path, await reader.readexactly(length)


async def answer(batcher, method, path, body):
    """Status and what is told."""
    if method == "GET":
        return "200 OK", {"status": "ok"}
    if path != "/translate":
        return "404 Not Found", {"error": "nothing is here"}
    try:
        return "200 OK", {"translatedText": await batcher.translate(json.loads(body)["q"])}
    except Exception as error:
        return "500 Internal Server Error", {"error": str(error)}


async def serve(batcher, reader, writer):
    try:
        while True:
            status, told = await answer(batcher, *await read_request(reader))
            content = json.dumps(told, ensure_ascii=False).encode()
            head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
            writer.write(head.encode() + content)
            await writer.drain()
    except (EOFError, ConnectionError, ValueError):
        pass
    finally:
        writer.close()


async def main():
    folder, precision, port, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    batcher = Batcher(folder, precision, threads)
    server = await asyncio.start_server(lambda *streams: serve(batcher, *streams), "127.0.0.1", port, backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
