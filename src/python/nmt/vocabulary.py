"""Converts text to token ids and back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Optional, Union

from . import program
from .keywords import check_names, takes
from .lib import _nmt
from .paths import Path, listed
from .settings import VOCABULARY, VocabularyOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Vocabulary:
    """A subword vocabulary from a file: a SentencePiece model, or a vocabulary of another toolkit.

    len(vocabulary) is the number of pieces. Pieces at the beginning of words start with U+2581.
    """

    def __init__(self, path: Path) -> None:
        self._path = os.fspath(path)
        self._vocabulary = _nmt.Vocabulary.load(self._path)

    def __repr__(self) -> str:
        return f"Vocabulary({self._path!r}, {len(self)} pieces)"

    @classmethod
    @takes(VocabularyOptions)
    def train(cls, files: Union[Path, Iterable[Path]], output: Path, **settings: Unpack[VocabularyOptions]) -> Vocabulary:
        """Trains a vocabulary on text files, one sentence per line, with the program nmt, and writes it to `output`.

        settings: options of `nmt vocab` with `_` instead of `-`: size=32000, type="unigram", byte_fallback=True ...
        """
        name = "Vocabulary.train"
        check_names(name, settings, VocabularyOptions)
        arguments = ["vocab", "--quiet", "--output", os.fspath(output)]
        for file in listed(files, name):
            arguments += ["--input", file]
        program.run(arguments + program.arguments_of(name, settings, VOCABULARY))
        return cls(output)

    def encode(self, text: str) -> list[int]:
        """Returns the token ids of a text, without special tokens."""
        return self._vocabulary.encode(text)

    def pieces(self, text: str) -> list[str]:
        """Returns the pieces of a text, one for each id of encode()."""
        return self._vocabulary.pieces(text)

    def decode(self, ids: Sequence[int]) -> str:
        """Returns the text of token ids, without special tokens."""
        return self._vocabulary.decode(ids)

    def find(self, piece: str) -> Optional[int]:
        """Returns the id of a piece, or None."""
        return self._vocabulary.find(piece)

    def __getitem__(self, id: int) -> str:
        """Returns the piece with this id."""
        return self._vocabulary.piece(id)

    def __len__(self) -> int:
        return len(self._vocabulary)

    @property
    def unknown(self) -> int:
        """The id of the unknown piece."""
        return self._vocabulary.unknown

    @property
    def begin(self) -> Optional[int]:
        """The id of BOS (begin of sentence), or None."""
        return self._vocabulary.begin

    @property
    def end(self) -> int:
        """The id of EOS (end of sentence)."""
        return self._vocabulary.end

    def save(self, path: Path) -> None:
        """Writes the vocabulary file, unchanged."""
        self._vocabulary.save(os.fspath(path))
