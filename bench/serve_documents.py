#!/usr/bin/env python3
"""Measures how a document in translation delays short requests to nmt serve, and the memory that documents take.

  serve_documents.py --nmt PROGRAM --model MODEL [--pages N] [--rounds N] [--seconds S]

MODEL is as for `nmt serve -m` and has its languages in its name (en-de=FILE). A client sends requests of one short sentence,
one after the other. In each round it does so for some seconds without a document, and then as long while a document of Word
with N pages of 12 paragraphs is translated, which is deleted afterwards. Prints the median and the 99th percentile of the
milliseconds until an answer, over all rounds, and the ratio of the two cases. Then prints the largest resident memory of the
server before the first document and at the end.
"""
import argparse
import http.client
import io
import json
import re
import subprocess
import tempfile
import time
import zipfile

PARAGRAPHS_OF_PAGE = 12
SENTENCE = "The committee has not decided yet who will pay for the new bridge."


def document(pages):
    """A document of Word, whose paragraphs have two runs."""
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    paragraphs = "".join(
        f"<w:p><w:r><w:t xml:space='preserve'>In the year {1000 + i} the town had </w:t></w:r>"
        f"<w:r><w:rPr><w:b/></w:rPr><w:t>{i + 7} houses and a small church near the river.</w:t></w:r></w:p>"
        for i in range(pages * PARAGRAPHS_OF_PAGE))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<?xml version="1.0"?><w:document xmlns:w="{namespace}"><w:body>'
                         f"{paragraphs}</w:body></w:document>")
    return file.getvalue()


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("localhost", port)

    def ask(self, method, path, body=None, content_type="application/json"):
        self.connection.request(method, path, body, {"Content-Type": content_type} if body else {})
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status >= 400:
            raise SystemExit(f"{method} {path}: {answer.status} {content.decode(errors='replace')}")
        return json.loads(content) if content else None

    def send(self, file):
        limit = b"boundary-of-the-form"
        form = (b"--" + limit + b'\r\nContent-Disposition: form-data; name="file"; filename="report.docx"\r\n\r\n' + file +
                b"\r\n--" + limit + b"--\r\n")
        return self.ask("POST", "/v1/documents", form, "multipart/form-data; boundary=" + limit.decode())["id"]

    def times(self, seconds):
        """Milliseconds until each answer to short requests."""
        times, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            begin = time.monotonic()
            self.ask("POST", "/v1/translate", json.dumps({"text": SENTENCE}))
            times.append(1000 * (time.monotonic() - begin))
        return times


def percentile(times, share):
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


def peak_mebibytes(process):
    status = open(f"/proc/{process}/status").read()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nmt", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryFile("w+") as log:
        server = subprocess.Popen([options.nmt, "serve", "-m", options.model, "--port", "0"], stderr=log)
        try:
            measure(options, server, log)
        finally:
            server.terminate()
            server.wait()


def port_of(server, log):
    while server.poll() is None:
        log.seek(0)
        text = log.read()
        if "all models are ready" in text:
            return int(re.search(r"listening on http://[^:]*:(\d+)/", text)[1])
        time.sleep(0.1)
    raise SystemExit(f"the server does not start: {text}")


def measure(options, server, log):
    client, file = Client(port_of(server, log)), document(options.pages)
    client.times(1)
    alone, beside, before = [], [], peak_mebibytes(server.pid)
    for _ in range(options.rounds):
        alone += client.times(options.seconds)
        sent = client.send(file)
        while client.ask("GET", f"/v1/documents/{sent}").get("characters") is None:
            time.sleep(0.05)
        beside += client.times(options.seconds)
        state = client.ask("GET", f"/v1/documents/{sent}")
        if state["status"] != "translating":
            raise SystemExit(f"the document is {state['status']} already; give more pages")
        client.ask("DELETE", f"/v1/documents/{sent}")
        time.sleep(1)
    for name, share in ("median", 0.5), ("99th percentile", 0.99):
        a, b = percentile(alone, share), percentile(beside, share)
        print(f"{name}: {a:.1f} ms alone, {b:.1f} ms beside a document, ratio {b / a:.2f}")
    print(f"peak memory: {before} MiB before, {peak_mebibytes(server.pid)} MiB after; the document has {len(file)} bytes")


if __name__ == "__main__":
    main()
