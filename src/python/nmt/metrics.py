"""BLEU, chrF and TER with the same numbers as sacrebleu, COMET and MetricX.

>>> from nmt import metrics
>>> score = metrics.bleu(["the cat sat on the mat"], ["the cat sat on a mat"])
>>> f"{score.value:.2f}"
'53.73'
>>> metrics.chrf(["the cat"], ["the cat"]).signature.split("|")[0]
'nrefs:1'

A Score has `score` (also called `value`), `details`, `signature` and, with `resamples`, `confidence`: half the width of the
95 % confidence interval of the bootstrap. `references` is a list with a text for each hypothesis, or several such lists.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Optional, Union

from .keywords import described, texts
from .lib import _nmt
from .lib._nmt import ErrorSpan, Judgment, Score
from .paths import Path

Texts = Sequence[str]
References = Union[Texts, Sequence[Texts]]
Tokenizer = Literal["13a", "intl", "char", "zh", "none"]
Smoothing = Literal["exp", "floor", "add-k", "none"]
Metric = Literal["bleu", "chrf", "chrf++", "ter"]

__all__ = ["Comet", "Comparison", "ErrorSpan", "Judgment", "MetricX", "Score", "bleu", "chrf", "paired_bootstrap",
           "paired_randomization", "sentence_bleu", "sentence_chrf", "sentence_ter", "ter"]


class _QualityModel:
    """A model that judges translations by the metric that its class is named after."""

    _metric = ""

    def __init__(self, model: Path, *, vocab: Optional[Path] = None, device: str = "auto", precision: str = "auto",
                 threads: Optional[int] = None) -> None:
        self._model = _nmt.QualityModel(self._metric, os.fspath(model), None if vocab is None else os.fspath(vocab), device,
                                        precision, threads)

    def __call__(self, hypotheses: Texts, sources: Texts = (), references: Texts = ()) -> float:
        """Returns the mean of the scores. Texts that the model does not read may be left out."""
        judgments = self.judge(hypotheses, sources, references)
        if not judgments:
            raise _nmt.UsageError("there is nothing to score")
        return sum(judgment.score for judgment in judgments) / len(judgments)

    def judge(self, hypotheses: Texts, sources: Texts = (), references: Texts = ()) -> list[Judgment]:
        """Returns a judgment of each hypothesis."""
        return self._model.judge(*(_lines("judge", name, lines) for name, lines in
                                   (("hypotheses", hypotheses), ("sources", sources), ("references", references))))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model.name!r}, precision={self._model.precision!r})"


class Comet(_QualityModel):
    """A COMET model, which judges translations.

    comet = metrics.Comet("wmt22-comet-da/", precision="int8")
    comet(hypotheses, sources, references)             # the mean score
    comet.judge(hypotheses, sources, references)       # a Judgment for each segment: score, and errors by xCOMET

    model: the folder of a checkpoint of unbabel-comet, or a file that nmt convert made of one.
    vocab: the tokenizer of its encoder, if it is not next to the checkpoint.
    device: "auto", "cpu", "cuda" or "cuda:N". precision: "auto", "f32", "bf16" or "int8". threads: all cores by default.
    """

    _metric = "comet"


class MetricX(_QualityModel):
    """A MetricX model, which judges translations by errors from 0, the best, to 25.

    metricx = metrics.MetricX("metricx-24-hybrid-xl-v2p6/", precision="int8")
    metricx(hypotheses, sources, references)           # the mean score; MetricX-24 can do without references

    model: the folder of a MetricX-23 or MetricX-24, or a file that nmt convert made of one. Other parameters: as for Comet.
    """

    _metric = "metricx"


class Comparison(NamedTuple):
    """The scores of two systems, and the probability of a difference at least as large if the systems were equally good."""

    baseline: Score
    system: Score
    p_value: float


def bleu(hypotheses: Texts, references: References, *, tokenize: Tokenizer = "13a", lowercase: bool = False,
         smooth: Smoothing = "exp", smooth_value: Optional[float] = None, resamples: int = 0, seed: int = 12345) -> Score:
    """Returns the BLEU score (Papineni et al., 2002) of a corpus.

    tokenize: "13a", "intl", "char", "zh" or "none".
    smooth: "exp", "floor", "add-k" or "none".
    """
    return _corpus("bleu", _bleu_settings(tokenize, lowercase, smooth, smooth_value), hypotheses, references, resamples,
                   seed)


def chrf(hypotheses: Texts, references: References, *, word_order: Literal[0, 2] = 0, lowercase: bool = False,
         resamples: int = 0, seed: int = 12345) -> Score:
    """Returns the chrF score (Popovic, 2015) of a corpus, or with word_order=2 the chrF++ score (Popovic, 2017)."""
    return _corpus(_chrf_name(word_order), _settings(lowercase), hypotheses, references, resamples, seed)


def ter(hypotheses: Texts, references: References, *, resamples: int = 0, seed: int = 12345) -> Score:
    """Returns the TER score (Snover et al., 2006) of a corpus."""
    return _corpus("ter", _nmt.MetricSettings(), hypotheses, references, resamples, seed)


def sentence_bleu(hypotheses: Texts, references: References, *, tokenize: Tokenizer = "13a", lowercase: bool = False,
                  smooth: Smoothing = "exp", smooth_value: Optional[float] = None) -> list[float]:
    """Returns the BLEU score of each sentence, as a list of numbers. N-grams longer than a sentence do not count."""
    return _sentences("bleu", _bleu_settings(tokenize, lowercase, smooth, smooth_value), hypotheses, references)


def sentence_chrf(hypotheses: Texts, references: References, *, word_order: Literal[0, 2] = 0,
                  lowercase: bool = False) -> list[float]:
    """Returns the chrF score of each sentence, as a list of numbers."""
    return _sentences(_chrf_name(word_order), _settings(lowercase), hypotheses, references)


def sentence_ter(hypotheses: Texts, references: References) -> list[float]:
    """Returns the TER score of each sentence, as a list of numbers."""
    return _sentences("ter", _nmt.MetricSettings(), hypotheses, references)


def paired_bootstrap(baseline: Texts, system: Texts, references: References, *, metric: Metric = "bleu", trials: int = 1000,
                     seed: int = 12345) -> Comparison:
    """Tests by paired bootstrap resampling (Koehn, 2004) whether a system differs from a baseline by chance.

    metric: "bleu", "chrf", "chrf++" or "ter".
    """
    return _compare(metric, baseline, system, references, True, trials, seed)


def paired_randomization(baseline: Texts, system: Texts, references: References, *, metric: Metric = "bleu",
                         trials: int = 10000, seed: int = 12345) -> Comparison:
    """Tests by approximate randomization (Riezler and Maxwell, 2005) whether a system differs from a baseline by chance.

    metric: "bleu", "chrf", "chrf++" or "ter".
    """
    return _compare(metric, baseline, system, references, False, trials, seed)


def _compare(metric: str, baseline: Texts, system: Texts, references: References, by_bootstrap: bool, trials: int,
             seed: int) -> Comparison:
    name = "paired_bootstrap" if by_bootstrap else "paired_randomization"
    first, second = _lines(name, "baseline", baseline), _lines(name, "system", system)
    return Comparison(*_nmt.compare(metric, _nmt.MetricSettings(), first, second, _streams(name, references), by_bootstrap,
                                    trials, seed))


def _settings(lowercase: bool) -> _nmt.MetricSettings:
    settings = _nmt.MetricSettings()
    settings.lowercase = lowercase
    return settings


def _bleu_settings(tokenize: str, lowercase: bool, smooth: str, smooth_value: Optional[float]) -> _nmt.MetricSettings:
    settings = _settings(lowercase)
    settings.tokenizer, settings.smoothing, settings.smoothing_value = tokenize, smooth, smooth_value
    return settings


def _chrf_name(word_order: int) -> str:
    names = {0: "chrf", 2: "chrf++"}
    if word_order not in names:
        raise _nmt.UsageError(f"word_order is {word_order}: it is 0 (chrF) or 2 (chrF++)")
    return names[word_order]


def _lines(function: str, name: str, lines: Any) -> list[str]:
    """Returns a list of texts. Raises TypeError for anything else, and for a single text, whose characters would count."""
    if isinstance(lines, str):
        raise TypeError(f"{function}(): {name} takes a list of str, one for each segment, not {described(lines)}")
    return texts(lines, function, name)


def _streams(function: str, references: Any) -> list[list[str]]:
    several = references if isinstance(references, str) or not isinstance(references, Iterable) else list(references)
    if isinstance(several, list) and several and not isinstance(several[0], str):
        return [_lines(function, "references", lines) for lines in several]
    lines = _lines(function, "references", several)
    return [lines] if lines else []


def _corpus(metric: str, settings: _nmt.MetricSettings, hypotheses: Texts, references: References, resamples: int,
            seed: int) -> Score:
    name = metric.removesuffix("++")
    lines = _lines(name, "hypotheses", hypotheses)
    return _nmt.corpus_score(metric, settings, lines, _streams(name, references), resamples, seed)


def _sentences(metric: str, settings: _nmt.MetricSettings, hypotheses: Texts, references: References) -> list[float]:
    name = f"sentence_{metric.removesuffix('++')}"
    return _nmt.sentence_scores(metric, settings, _lines(name, "hypotheses", hypotheses), _streams(name, references))
