"""BLEU, chrF and TER with the numbers of sacrebleu.

>>> from nmt import metrics
>>> score = metrics.bleu(["the cat sat on the mat"], ["the cat sat on a mat"])
>>> f"{score.value:.2f}"
'53.73'
>>> metrics.chrf(["the cat"], ["the cat"]).signature.split("|")[0]
'nrefs:1'

A Score has `value`, `details`, `signature` and, with `resamples`, `confidence`: half the width of the interval that holds
95 % of the bootstrap. References are a list as long as the hypotheses, or several of them.
"""

from .lib import _nmt
from .lib._nmt import Score

__all__ = ["Score", "bleu", "chrf", "sentence_bleu", "sentence_chrf", "sentence_ter", "ter"]


def bleu(hypotheses, references, *, tokenize="13a", lowercase=False, smooth="exp", smooth_value=None, resamples=0,
         seed=12345):
    """BLEU (Papineni et al., 2002) of a corpus. tokenize: 13a, intl, char, zh, none; smooth: exp, floor, add-k, none."""
    return _corpus("bleu", _bleu_settings(tokenize, lowercase, smooth, smooth_value), hypotheses, references, resamples,
                   seed)


def chrf(hypotheses, references, *, word_order=0, lowercase=False, resamples=0, seed=12345):
    """chrF (Popovic, 2015) of a corpus, or with word_order=2 chrF++ (Popovic, 2017)."""
    return _corpus(_chrf_name(word_order), _settings(lowercase), hypotheses, references, resamples, seed)


def ter(hypotheses, references, *, resamples=0, seed=12345):
    """TER (Snover et al., 2006) of a corpus."""
    return _corpus("ter", _nmt.MetricSettings(), hypotheses, references, resamples, seed)


def sentence_bleu(hypotheses, references, *, tokenize="13a", lowercase=False, smooth="exp", smooth_value=None):
    """BLEU of each sentence: a list of numbers. Orders longer than a sentence do not count."""
    return _sentences("bleu", _bleu_settings(tokenize, lowercase, smooth, smooth_value), hypotheses, references)


def sentence_chrf(hypotheses, references, *, word_order=0, lowercase=False):
    """chrF of each sentence: a list of numbers."""
    return _sentences(_chrf_name(word_order), _settings(lowercase), hypotheses, references)


def sentence_ter(hypotheses, references):
    """TER of each sentence: a list of numbers."""
    return _sentences("ter", _nmt.MetricSettings(), hypotheses, references)


def _settings(lowercase):
    settings = _nmt.MetricSettings()
    settings.lowercase = lowercase
    return settings


def _bleu_settings(tokenize, lowercase, smooth, smooth_value):
    settings = _settings(lowercase)
    settings.tokenizer, settings.smoothing, settings.smoothing_value = tokenize, smooth, smooth_value
    return settings


def _chrf_name(word_order):
    names = {0: "chrf", 2: "chrf++"}
    if word_order not in names:
        raise _nmt.UsageError(f"word_order is {word_order}: it is 0 (chrF) or 2 (chrF++)")
    return names[word_order]


def _streams(references):
    return [references] if references and isinstance(references[0], str) else references


def _corpus(metric, settings, hypotheses, references, resamples, seed):
    return _nmt.corpus_score(metric, settings, hypotheses, _streams(references), resamples, seed)


def _sentences(metric, settings, hypotheses, references):
    return _nmt.sentence_scores(metric, settings, hypotheses, _streams(references))
