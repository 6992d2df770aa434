"""Text to ids and back."""

import os

from . import program
from .lib import _nmt


class Vocabulary:
    """The subword vocabulary of a file: a SentencePiece model, or a vocabulary of another toolkit.

    len(vocabulary) is the number of pieces. A piece that begins a word begins with U+2581.
    """

    def __init__(self, path):
        self._vocabulary = _nmt.Vocabulary.load(os.fspath(path))

    @classmethod
    def train(cls, files, output, **settings):
        """Makes a vocabulary of text files, a sentence a line, by the program, and writes it to `output`.

        settings: options of `nmt vocab` with `_` for `-`: size=32000, type="unigram", byte_fallback=True ...
        """
        files = [files] if isinstance(files, (str, os.PathLike)) else list(files)
        arguments = ["vocab", "--quiet", "--output", os.fspath(output)]
        program.run(arguments + program.arguments_of({"input": files, **settings}))
        return cls(output)

    def encode(self, text):
        """The ids of a text, without those of special tokens."""
        return self._vocabulary.encode(text)

    def pieces(self, text):
        """The pieces that encode() divides a text into."""
        return self._vocabulary.pieces(text)

    def decode(self, ids):
        """The text of ids; special tokens vanish."""
        return self._vocabulary.decode(ids)

    def find(self, piece):
        """The id of a piece, or None."""
        return self._vocabulary.find(piece)

    def __getitem__(self, id):
        """The piece of an id."""
        return self._vocabulary.piece(id)

    def __len__(self):
        return len(self._vocabulary)

    @property
    def unknown(self):
        """The id of what no piece covers."""
        return self._vocabulary.unknown

    @property
    def begin(self):
        """The id of BOS, or None where there is none."""
        return self._vocabulary.begin

    @property
    def end(self):
        """The id of EOS."""
        return self._vocabulary.end

    def save(self, path):
        """Writes the file as it was read."""
        self._vocabulary.save(os.fspath(path))
