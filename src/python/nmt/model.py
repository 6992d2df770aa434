"""Model files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, Optional, Union

from .lib import _nmt
from .paths import Path, listed

if TYPE_CHECKING:
    import numpy

_DTYPES = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "i32": "<i4", "i8": "i1", "u8": "u1"}


class Model(Mapping[str, "numpy.ndarray"]):
    """A model file, with its weights as numpy arrays by name: `model["encoder.layers.0.norm1.weight"]`.

    path: a model file, the directory of a training run (its best model), or a model of another toolkit.

    Arrays are read-only views of the file, which is mapped into memory. Only bf16 weights, a type that numpy does not have, are
    copies in f32. Weights in int8 come with a scale for each row (doc/model-file.md).
    """

    def __init__(self, path: Path) -> None:
        self._file = _nmt.ModelFile.open(os.fspath(path))

    @property
    def path(self) -> str:
        """The path of the model file."""
        return self._file.path

    @property
    def config(self) -> str:
        """The complete configuration of the model, as YAML text."""
        return self._file.config

    def __getitem__(self, name: str) -> numpy.ndarray:
        import numpy  # imported here because importing it takes longer than importing nmt

        dtype, shape = self._file.kind(name)
        data = self._file.bytes(name)
        if dtype == "bf16":
            return (data.view("<u2").astype(numpy.uint32) << 16).view("<f4").reshape(shape)
        return data.view(_DTYPES[dtype]).reshape(shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.names())

    def __len__(self) -> int:
        return len(self._file.names())

    def __repr__(self) -> str:
        return f"Model({self.path!r})"

    def convert(self, output: Path, *, precision: Optional[Literal["int8", "bf16", "f16", "f32"]] = None) -> None:
        """Writes a model file whose matrices are in "int8", "bf16", "f16" or "f32"; None: in the precision that they have."""
        self._file.convert(os.fspath(output), precision)

    def export(self, folder: Path, toolkit: Literal["marian", "huggingface", "ctranslate2"], *, overwrite: bool = False) -> None:
        """Writes the model in the format of another toolkit: "marian", "huggingface" or "ctranslate2"."""
        self._file.export(toolkit, os.fspath(folder), overwrite)


def average(models: Union[Path, Iterable[Path]], output: Path) -> None:
    """Writes a model whose weights are the mean of several models or checkpoints, with the settings of the last one."""
    _nmt.average(listed(models, "average"), os.fspath(output))
