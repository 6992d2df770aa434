"""Arguments that are paths."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Union

Path = Union[str, "os.PathLike[str]"]


def listed(paths: Union[Path, Iterable[Path]], function: str) -> list[str]:
    """Returns the paths of an argument that is a path or an iterable of paths. Raises TypeError for anything else."""
    several: Any = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    try:
        found = [os.fspath(path) for path in several]
    except TypeError:
        found = [None]
    if not all(isinstance(path, str) for path in found):
        raise TypeError(f"{function} takes a path (a str or an os.PathLike) or several, not {paths!r}")
    return found
