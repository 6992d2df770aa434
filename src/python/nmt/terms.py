"""Terms of glossaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .keywords import described
from .lib import _nmt


def listed_terms(value: Any, function: str) -> list[_nmt.Term]:
    """Returns the terms of a glossary: a mapping of terms to translations, or pairs of these, which may have flags as well.

    A translation is a text or a list of alternatives; None or an empty one keeps the term. Raises TypeError for anything else.
    """
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError(f"{function}(): glossary takes a dict or a list of pairs, not {described(value)}")
    return [_term(pair, function) for pair in (value.items() if isinstance(value, Mapping) else value)]


def _term(pair: Any, function: str) -> _nmt.Term:
    expected = f"{function}(): a term of glossary is a pair of a str and a str or list of str, and may have flags"
    if isinstance(pair, (str, bytes)) or not isinstance(pair, Sequence) or len(pair) not in (2, 3):
        raise TypeError(f"{expected}, not {described(pair)}")
    source, target, *flags = pair
    targets = [target] if isinstance(target, str) and target else target or []
    try:
        return _nmt.Term(source, targets, *flags)
    except TypeError:
        raise TypeError(f"{expected}, not {described(pair)}") from None
