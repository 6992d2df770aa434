"""Training, and the directories of training runs."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Optional

from . import program
from .keywords import check_names, takes
from .lib._nmt import Error
from .paths import Path
from .progress import Bar, is_wanted, planned_steps
from .settings import TRAIN, TrainOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Run:
    """The directory of a training run: `Run("run/").metrics("valid")`."""

    def __init__(self, path: Path) -> None:
        self.path = pathlib.Path(path)
        if not (self.path / "config.yml").is_file():
            raise Error(f"'{self.path}' is not the directory of a run: it has no config.yml")

    @property
    def config(self) -> str:
        """The complete configuration of the run, as YAML text."""
        return (self.path / "config.yml").read_text(encoding="utf-8")

    @property
    def checkpoints(self) -> list[pathlib.Path]:
        """The checkpoints that were kept, oldest first."""
        return sorted(self.path.glob("step-*.safetensors"))

    @property
    def best(self) -> Optional[pathlib.Path]:
        """The model with the best validation result, or None."""
        return self._file("best.safetensors")

    @property
    def last(self) -> Optional[pathlib.Path]:
        """The newest model, or None."""
        return self._file("last.safetensors")

    def metrics(self, event: str = "train") -> dict[str, list[Any]]:
        """Returns the metrics so far as a dictionary with a list for each column, for pandas.DataFrame or matplotlib.

        event: "train" or "valid". doc/run-directory.md lists the columns: step, loss, perplexity, seconds ... Missing values
        are None.
        """
        rows = [row for row in _NewRows(self.path / "metrics.jsonl", 0).read() if row["event"] == event]
        columns = dict.fromkeys(name for row in rows for name in row if name != "event")
        return {name: [row.get(name) for row in rows] for name in columns}

    def _file(self, name: str) -> Optional[pathlib.Path]:
        path = self.path / name
        return path if path.exists() else None

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


@takes(TrainOptions)
def train(output: Path, *, config: Optional[Path] = None, callback: Optional[Callable[[dict[str, Any]], object]] = None,
          progress: Optional[bool] = None, **settings: Unpack[TrainOptions]) -> Run:
    """Trains a model, or continues the run in `output`, with the program nmt, and returns the Run.

    config: a configuration file, as for `nmt train --config`.
    settings: options of `nmt train` with `_` instead of `-`: train(..., steps=1000, train=["a.nmtc", "b.nmtc"]). A list gives
        an option several times. True and False turn switches on and off, and stand for the values true and false of other
        options.
    callback: called with each new row of metrics, a dictionary. An exception in it, or Ctrl-C, ends the run after the current
        update, so that the run can be continued.
    progress: whether to show a progress bar on standard error; None: on a terminal and in notebooks.
    """
    check_names("train", settings, TrainOptions)
    figures = pathlib.Path(output) / "metrics.jsonl"
    new = _NewRows(figures, figures.stat().st_size if figures.exists() else 0)
    bar = Bar() if (is_wanted() if progress is None else progress) else None

    def tell() -> None:
        for row in new.read():
            if bar is not None:
                bar.show(row, planned_steps(Run(output).config))
            if callback is not None:
                callback(row)

    arguments = ["train", "--output", os.fspath(output), "--quiet"]
    if config is not None:
        arguments += ["--config", os.fspath(config)]
    try:
        program.run(arguments + program.arguments_of("train", settings, TRAIN), tell)
    finally:
        if bar is not None:
            bar.end()
    return Run(output)


class _NewRows:
    """Reads the rows of a file that were added since the last read, at first those after its first `seen` bytes."""

    def __init__(self, path: pathlib.Path, seen: int) -> None:
        self._path, self._seen = path, seen

    def read(self) -> Iterator[dict[str, Any]]:
        if not self._path.exists():
            return
        with open(self._path, "rb") as file:
            # A run that continues may remove its last lines and write them again.
            self._seen = min(self._seen, file.seek(0, os.SEEK_END))
            file.seek(max(self._seen - 1, 0))
            if self._seen > 0 and file.read(1) != b"\n":
                self._seen += len(file.readline())
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._seen += len(line)
                yield json.loads(line)
