"""Runs the program `nmt` for work that needs a process of its own."""

from __future__ import annotations

import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .lib import _nmt


def find() -> str:
    """Returns the path of the program in this package, or else on the PATH."""
    program = Path(__file__).parent / "bin" / "nmt"
    if program.exists():
        return str(program)
    found = shutil.which("nmt")
    if found is None:
        raise _nmt.Error(f"the program nmt is neither in this package ({program}) nor on the PATH")
    return found


def arguments_of(function: str, settings: Mapping[str, Any], types: Mapping[str, str]) -> list[str]:
    """Converts settings such as `batch_tokens=2000, train=["a", "b"], output_bias=False` to command-line arguments.

    Settings that are None are left out. types: the type of each option. Raises TypeError for True or False if an option does
    not take them.
    """
    arguments: list[str] = []
    for name, value in settings.items():
        option = name.replace("_", "-")
        if value is None:
            continue
        if types[name] == "switch":
            if not isinstance(value, bool):
                raise TypeError(f"{function}(): {name} takes True or False, not {value!r}")
            arguments.append(f"--{option}" if value else f"--no-{option}")
        elif isinstance(value, bool) and types[name] not in ("boolean", "string"):
            raise TypeError(f"{function}(): {name} takes a value, not {value!r}")
        else:
            for each in value if isinstance(value, (list, tuple)) else [value]:
                arguments += [f"--{option}", str(each).lower() if isinstance(each, bool) else str(each)]
    return arguments


def run(arguments: Sequence[str], while_running: Callable[[], object] = lambda: None, seconds: float = 0.2) -> None:
    """Runs a command, and calls `while_running` now and then and at the end. Raises Error with the last error that it printed.

    An exception that is raised meanwhile, such as by Ctrl-C, ends the command, which first saves its state, and is then raised
    again.
    """
    lines: list[str] = []
    # A new session, because the terminal would also send Ctrl-C to it, and a second Ctrl-C ends it before it has saved.
    process = subprocess.Popen([find(), *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               errors="replace", start_new_session=True)
    stderr = process.stderr
    assert stderr is not None
    reader = threading.Thread(target=lambda: lines.extend(stderr), daemon=True)
    reader.start()
    try:
        while True:
            try:
                process.wait(seconds)
                break
            except subprocess.TimeoutExpired:
                while_running()
    except BaseException:
        _end(process)
        raise
    finally:
        reader.join()
        stderr.close()
    if process.returncode != 0:
        errors = [line[len("error: "):].rstrip("\n") for line in lines if line.startswith("error: ")]
        kind = _nmt.UsageError if process.returncode == 2 else _nmt.Error
        raise kind(errors[-1] if errors else f"nmt {arguments[0]} ended with exit code {process.returncode}")
    while_running()


def _end(process: subprocess.Popen[str]) -> None:
    """Asks the process to end, again at each further Ctrl-C, and waits for it."""
    while process.returncode is None:
        try:
            process.send_signal(signal.SIGINT)
            process.wait()
        except KeyboardInterrupt:
            pass
