"""The progress bar of training."""

from __future__ import annotations

import re
import sys
import time
from typing import Any, Optional

_WIDTH = 24


def is_wanted() -> bool:
    """Whether the progress is visible: on a terminal, or in a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def planned_steps(config: str) -> int:
    """Returns the number of updates that the configuration of a run plans; 0: no limit."""
    found = re.search(r"^steps: (\d+)$", config, re.MULTILINE)
    return int(found[1]) if found else 0


class Bar:
    """Shows the progress of a run in one line of standard error."""

    def __init__(self) -> None:
        self._begin: Optional[tuple[float, int]] = None
        self._valid = ""
        self._length = 0

    def show(self, row: dict[str, Any], steps: int) -> None:
        """Shows a row of metrics. steps: the planned number of updates, or 0."""
        if row["event"] == "valid":
            figures = [f"{name} {row[name]:.1f}" for name in ("bleu", "perplexity") if row.get(name) is not None]
            self._valid = f", validation: {figures[0]}" if figures else ""
        elif row["event"] == "train":
            self._write(self._line(row, steps))

    def end(self) -> None:
        """Keeps the last line on the screen."""
        if self._length > 0:
            print(file=sys.stderr, flush=True)

    def _line(self, row: dict[str, Any], steps: int) -> str:
        step, now = row["step"], time.monotonic()
        if self._begin is None:
            self._begin = (now, step)
        line = f"update {step}"
        if steps > 0:
            full = min(_WIDTH, _WIDTH * step // steps)
            line = f"{100 * step // steps:3d}% |{'#' * full}{' ' * (_WIDTH - full)}| {step}/{steps}"
        if row.get("perplexity") is not None:
            line += f", perplexity {row['perplexity']:.1f}"
        line += self._valid
        seconds, done = now - self._begin[0], step - self._begin[1]
        if steps > step and done > 0:
            line += f", at most {_duration(seconds / done * (steps - step))} left"
        return line

    def _write(self, line: str) -> None:
        print("\r" + line.ljust(self._length), end="", file=sys.stderr, flush=True)
        self._length = len(line)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
