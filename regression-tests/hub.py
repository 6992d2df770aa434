#!/usr/bin/env python3
"""A Hugging Face Hub for tests: serves the models OWNER/NAME below a folder.

  hub.py FOLDER

Writes its port to FOLDER/port, and a line for each request to FOLDER/log. Files above 10 KB are large: they have a SHA-256,
and come from another host, which must not be sent tokens. If there is FOLDER/token, only those who send it are served.
FOLDER/behavior, which is read for each request, says what goes wrong: "busy", "gated", "slow" or "damage". It may also be

- "headers": too many headers
- "break BYTES": transfers of large files end after this many bytes
- "more": more bytes than the file has
- "elsewhere": parts begin at another byte than the requested one
- "whole": the whole file instead of a part
"""
import hashlib
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LARGE, BLOCK = 10_000, 1 << 14
REVISIONS = "main", "v1", "v1%2Ffixed"  # besides commits; all are the same
ROOT = Path(sys.argv[1])


def text_of(name):
    path = ROOT / name
    return path.read_text().strip() if path.exists() else ""


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def commit_of(folder):
    """Changes whenever a file does."""
    digest = hashlib.sha1()
    for path in files_of(folder):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def git_hash(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def entry(path, folder):
    """A file in the list that huggingface_hub asks for."""
    data = path.read_bytes()
    facts = {"type": "file", "path": path.relative_to(folder).as_posix(), "size": len(data), "oid": git_hash(data)}
    if len(data) > LARGE:
        facts["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 100}
    return facts


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        range_text = self.headers.get("Range", "")
        with open(ROOT / "log", "a") as log:
            log.write(f"{self.command} {self.path} {status} {range_text}\n")
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.send(body)

    def send(self, body):
        behavior = text_of("behavior").split() if self.path.startswith("/elsewhere/") else [""]
        most = int(behavior[1]) if behavior[:1] == ["break"] else len(body)
        for begin in range(0, min(most, len(body)), BLOCK):
            self.wfile.write(body[begin : min(begin + BLOCK, most)])
            if behavior[:1] == ["slow"]:
                self.wfile.flush()
                time.sleep(0.1)
        if most < len(body):
            self.close_connection = True

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        behavior, token = text_of("behavior"), text_of("token")
        parts = self.path.split("?")[0].strip("/").split("/")
        if parts[0] == "elsewhere":
            return self.send_part(ROOT.joinpath(*parts[1:]).read_bytes(), behavior)
        if behavior == "busy":
            return self.answer(503)
        if behavior == "headers":
            return self.answer(200, X_Long="x" * 200_000)
        if behavior == "gated":
            return self.answer(403, X_Error_Code="GatedRepo")
        if token and self.headers.get("Authorization") != f"Bearer {token}":
            return self.answer(401, X_Error_Code="RepoNotFound")
        is_listing = parts[:2] == ["api", "models"]
        model = parts[2:4] if is_listing else parts[:2]
        kind, revision, file = (parts[4:5], parts[5:6], []) if is_listing else (parts[2:3], parts[3:4], parts[4:])
        folder = ROOT.joinpath(*model)
        if len(model) < 2 or not folder.is_dir():
            return self.answer(404, X_Error_Code="RepoNotFound")
        commit = commit_of(folder)
        if kind not in (["revision"], ["tree"], ["resolve"]) or revision[0] not in (*REVISIONS, commit):
            return self.answer(404, X_Error_Code="RevisionNotFound")
        if kind == ["tree"]:
            return self.answer(200, json.dumps([entry(path, folder) for path in files_of(folder)]).encode())
        if is_listing:
            files = [{"rfilename": path.relative_to(folder).as_posix()} for path in files_of(folder)]
            if "blobs=true" in self.path:
                files = [{**file, "size": (folder / file["rfilename"]).stat().st_size} for file in files]
            return self.answer(200, json.dumps({"id": "/".join(model), "sha": commit, "siblings": files}).encode())
        self.send_file(folder / "/".join(file), commit)

    def send_file(self, path, commit):
        if not path.is_file():
            return self.answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=commit)
        data = path.read_bytes()
        if len(data) <= LARGE:
            return self.answer(200, data, ETag=f'"{git_hash(data)}"', X_Repo_Commit=commit)
        other_host = f"http://localhost:{self.server.server_port}/elsewhere/{path.relative_to(ROOT)}?signature=x"
        etag = f'"{hashlib.sha256(data).hexdigest()}"'
        self.answer(302, X_Linked_Etag=etag, X_Linked_Size=str(len(data)), X_Repo_Commit=commit, Location=other_host)

    def send_part(self, data, behavior):
        if "Authorization" in self.headers:
            return self.answer(400)
        if behavior == "damage":
            data = data[:-1] + bytes([data[-1] ^ 1])
        begin = int(self.headers.get("Range", "bytes=0-")[len("bytes=") :].rstrip("-"))
        if behavior == "more":
            data += bytes(100_000)
        if begin == 0 or behavior == "whole":
            return self.answer(200, data)
        if behavior == "elsewhere":
            return self.answer(206, data[:5], Content_Range=f"bytes 0-4/{len(data)}")
        self.answer(206, data[begin:], Content_Range=f"bytes {begin}-{len(data) - 1}/{len(data)}")


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    (ROOT / "port.new").write_text(str(server.server_port))
    os.replace(ROOT / "port.new", ROOT / "port")
    server.serve_forever()


main()
