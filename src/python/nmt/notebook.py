"""Shows results in notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

from .lib._nmt import Score, Translation


def table(rows: list[list[str]]) -> str:
    """Returns an HTML table of texts."""
    cells = ("".join(f'<td style="text-align: left">{escape(cell)}</td>' for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def _of_translation(translation: Translation) -> str:
    return table([[translation.text, f"{translation.score:.4f}"]])


def _of_score(score: Score) -> str:
    value = f"{score.value:.2f}" if score.confidence is None else f"{score.value:.2f} ± {score.confidence:.2f}"
    return table([[score.name, value, score.details, score.signature]])


def show_results() -> None:
    """Makes notebooks show translations and scores as tables."""
    shown: list[tuple[Any, Any]] = [(Translation, _of_translation), (Score, _of_score)]
    for kind, html in shown:
        kind._repr_html_ = html
