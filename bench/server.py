"""HTTP servers for serve.py and soak.py: starts, watches and asks them, with Python's standard library only."""
import asyncio
import os
import signal
import socket
import subprocess
import time
import urllib.request

READY_SECONDS = 120
END_SECONDS = 40


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A program that listens on a port of this machine; as a context it ends with it."""

    def __init__(self, command, port, ready_path, log, cpus=None, environment=None):
        """`cpus`: those that it may use; `log`: the file that takes what it says."""
        self.port = port
        self._start(command, log, cpus, environment)
        try:
            self._await_ready(ready_path, log)
        except BaseException:
            self.end()
            raise

    def _start(self, command, log, cpus, environment=None, **pipes):
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                list(map(str, command)),
                **{"stdin": subprocess.DEVNULL, "stdout": file, "stderr": file, **pipes},
                env={**os.environ, **(environment or {})},
                preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus else None,
            )

    def _await_ready(self, path, log):
        last = time.monotonic() + READY_SECONDS
        while time.monotonic() < last and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        with open(log, encoding="utf-8", errors="replace") as file:
            raise RuntimeError(f"{self.process.args[0]} is not ready: {file.read()[-2000:]}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Asks it to end, and sees to it; returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def ended(self):
        """Waits until it has ended, which it has been asked to, or ends it; returns its exit code."""
        try:
            return self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def processes(self):
        """It, and what it has started."""
        found = [self.process.pid]
        for pid in found:
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                        found += map(int, file.read().split())
            except OSError:  # one that has ended, or a kernel that does not tell
                continue
        return found

    def resident_bytes(self):
        return 1024 * sum(status_of(pid).get("VmRSS", 0) for pid in self.processes())

    def threads(self):
        return sum(status_of(pid).get("Threads", 0) for pid in self.processes())

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu_seconds(self):
        ticks = 0
        for pid in self.processes():
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


def status_of(pid):
    """Numbers of /proc/PID/status by name; nothing of a process that has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            pairs = [line.split(":", 1) for line in file]
    except OSError:
        return {}
    return {name: int(value.split()[0]) for name, value in pairs if value.split()[:1] and value.split()[0].isdigit()}


class NoAnswer(Exception):
    """The connection ended before there was a whole answer."""


class Client:
    """A connection, which is opened when it is needed."""

    def __init__(self, port, keeps_open=True):
        self.port, self.keeps_open = port, keeps_open
        self.reader = self.writer = None

    async def open(self):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, method, path, body=b"", fields=()):
        """Status, fields by their names in lower case, and body of the answer. Throws NoAnswer."""
        try:
            await self.open()
            self.writer.write(request_bytes(method, path, body, fields, self.keeps_open))
            return await self.answer()
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
            self.close()
            raise NoAnswer(f"{type(error).__name__}: {error}") from error
        except asyncio.CancelledError:
            self.close()
            raise

    async def answer(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        status = int(head[0].split(" ", 2)[1])
        fields = {}
        for line in head[1:-2]:
            name, _, value = line.partition(":")
            fields[name.strip().lower()] = value.strip()
        if "content-length" in fields:
            body = await self.reader.readexactly(int(fields["content-length"]))
        elif status in (101, 204, 304):
            body = b""
        else:
            body = await self.reader.read()
            fields["connection"] = "close"
        if fields.get("connection", "").lower() == "close" or not self.keeps_open:
            self.close()
        return status, fields, body

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


def request_bytes(method, path, body=b"", fields=(), keeps_open=True):
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Connection: {'keep-alive' if keeps_open else 'close'}"]
    lines += [f"{name}: {value}" for name, value in fields]
    if body or method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
