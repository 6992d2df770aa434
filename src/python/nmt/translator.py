"""Models that translate and score."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Optional, Union

from .lib import _nmt
from .lib._nmt import Translation
from .paths import Path

if TYPE_CHECKING:
    import numpy


class Scorer:
    """A model, or an ensemble of models with the same vocabularies, on a device: what it says of texts that are there.

    models: the file of a model, a run directory, whose best model counts, a model of another toolkit, or several; language
        models as well.
    device: "cpu", "cuda", "cuda:N"; "auto": a card where there is one, else the CPU.
    precision: "f32", "bf16", "int8", on cards also "f16" and "tf32"; "auto" as `nmt translate` has it.
    threads: to compute with; 0: as many as there are cores for this process.
    source_language, target_language: for models of several languages, by the codes that they know ("deu_Latn").
    weights: how much each model of an ensemble counts; by default all the same.
    language_model, language_model_weight: a language model with the target vocabulary (shallow fusion).

    Threads may share one: what they ask for at the same time is computed together. A process that was forked has to
    open its own.
    """

    def __init__(self, models: Union[Path, Iterable[Path]], *, device: str = "auto", precision: str = "auto",
                 threads: int = 0, source_language: str = "", target_language: str = "",
                 weights: Sequence[float] = (), language_model: Optional[Path] = None,
                 language_model_weight: float = 0.2) -> None:
        settings = _nmt.EngineSettings()
        settings.device, settings.precision, settings.threads = device, precision, threads
        settings.source_language, settings.target_language = source_language, target_language
        settings.weights = list(weights)
        settings.language_model = os.fspath(language_model) if language_model is not None else ""
        settings.language_model_weight = language_model_weight
        paths = [models] if isinstance(models, (str, os.PathLike)) else models
        self._engine = _nmt.Engine([os.fspath(path) for path in paths], settings)
        self._process = os.getpid()

    def score(self, sources: Union[str, Iterable[str], None], targets: Union[str, Iterable[str]]) -> list[Any]:
        """The natural log-probability of each token of a translation, and of the end of sentence, for each pair.

        sources: None for language models.
        """
        if sources is None:
            targets = targets if isinstance(targets, str) else list(targets)
            sources = "" if isinstance(targets, str) else [""] * len(targets)
        return self._of_pairs(self._engine.score, sources, targets)

    def align(self, sources: Union[str, Iterable[str]],
              targets: Union[str, Iterable[str]]) -> Union[numpy.ndarray, list[numpy.ndarray]]:
        """How much each word of a translation looks at each word of its source: a numpy array for each pair.

        Its shape is (target words + 1, source words + 1), words as white space divides them, the end of sentence last; a
        row sums to 1. It is the attention of the first model: `nmt attention` draws it.
        """
        return self._of_pairs(self._engine.align, sources, targets)

    def _of_pairs(self, compute: Callable[[list[str], list[str]], list[Any]], sources: Union[str, Iterable[str]],
                  targets: Union[str, Iterable[str]]) -> Any:
        self._check_process()
        results = compute(_listed(sources), _listed(targets))
        return results[0] if isinstance(sources, str) else results

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise _nmt.Error("this process was forked from the one that opened the translator, whose threads it lacks; "
                             "open one here, or start processes with multiprocessing's method 'spawn'")


class Translator(Scorer):
    """A Scorer that translates."""

    def translate(self, texts: Union[str, Iterable[str]], *, n_best: Optional[int] = None, **settings: Any) -> Any:
        """Translates a text, or a list of texts, and returns a Translation (`text`, `score`, `log_probability`) for each.

        n_best: with it, a list of so many Translations for each text, best first, at most as many as the beam.

        Settings of the search, by default as the model asks for, or else as `nmt translate` has them: beam,
        length_penalty, length_normalization, word_penalty, coverage_penalty, beam_rules, patience, max_length_factor,
        max_length_extra, min_length, no_repeat_ngram_size, repetition_penalty, end_threshold, beam_groups, diversity,
        distinct, avoid, a list of phrases, and constraints, a list of lists of phrases one of each of which must occur:
        `missing` of a Translation says how many do not. constraints_of_texts and avoid_of_texts have for each text what
        counts for it alone, besides. unknown=False lets no unknown piece in, and replace_unknown=True
        puts the word of the text in its place.
        markup=True is for texts in HTML or XML, whose tags come to stand around the same words.
        score_tokens=True tells `tokens` and `words` of each Translation, which have `text` and `log_probability`.
        align=True tells its `alignment`, a numpy array as align() has it.
        mbr="chrf" tells of candidates, samples or what the beam holds, those that are most like all of them.
        prefixes has for each text what its translations begin with. alternatives=True with n_best=N goes on behind it
        with the N most probable tokens: `alternative` and `alternative_log_probability` of each Translation.
        split_sentences=True translates the sentences of each text for themselves; split_language, such as "en", tells in
        which language abbreviations end none, by default source_language.
        sample=True draws translations at random, by temperature, top_k, top_p, min_p and seed; those of a text depend on
        it, its place among the texts and the seed. without_replacement=True draws none of a text twice.
        """
        results = self._translate(_listed(texts), n_best, settings)
        return results[0] if isinstance(texts, str) else results

    async def translate_async(self, texts: Union[str, Iterable[str]], *, n_best: Optional[int] = None,
                              **settings: Any) -> Any:
        """The same as translate(), while the event loop goes on. What is asked for at the same time shares batches."""
        import asyncio  # which takes half of the time of importing nmt, for those who want it

        return await asyncio.to_thread(self.translate, texts, n_best=n_best, **settings)

    def translate_iter(self, texts: Iterable[str], *, n_best: Optional[int] = None, chunk: int = 2000,
                       **settings: Any) -> Iterator[Any]:
        """Translates texts of any number as they come, and yields what translate() has for each, in order.

        At most two chunks of texts, and their translations, are in memory.
        """
        texts, place = iter(texts), 0
        with ThreadPoolExecutor(2) as pool:
            pending = None
            while some := list(itertools.islice(texts, chunk)):
                following = pool.submit(self._translate, some, n_best, settings, place)
                place += len(some)
                if pending:
                    yield from pending.result()
                pending = following
            if pending:
                yield from pending.result()

    def _translate(self, texts: Sequence[str], n_best: Optional[int], settings: Mapping[str, Any],
                   place: int = 0) -> Union[list[Translation], list[list[Translation]]]:
        self._check_process()
        search = _search_settings(settings, place)
        search.n_best = n_best or 1
        results = self._engine.translate(texts, search)
        return results if n_best else [best[0] for best in results]


def _listed(texts: Union[str, Iterable[str]]) -> list[str]:
    return [texts] if isinstance(texts, str) else list(texts)


_SEARCH = ("beam", "length_penalty", "length_normalization", "word_penalty", "coverage_penalty", "beam_rules", "patience",
           "max_length_factor", "max_length_extra", "min_length", "no_repeat_ngram_size", "repetition_penalty",
           "end_threshold", "beam_groups", "diversity", "distinct", "alternatives", "unknown", "avoid", "constraints",
           "prefixes", "constraints_of_texts", "avoid_of_texts", "mbr", "candidates", "split_sentences",
           "split_language", "markup", "replace_unknown", "align", "score_tokens")
_SAMPLING = ("temperature", "top_k", "top_p", "min_p", "without_replacement", "seed")


def _search_settings(settings: Mapping[str, Any], place: int) -> _nmt.SearchSettings:
    search, sampling = _nmt.SearchSettings(), _nmt.SamplingSettings()
    sample = settings.get("sample", False)
    for name, value in settings.items():
        if name in _SEARCH:
            setattr(search, name, value)
        elif name in _SAMPLING and sample:
            setattr(sampling, name, value)
        elif name in _SAMPLING:
            raise _nmt.UsageError(f"{name} is of samples; give sample=True as well")
        elif name != "sample":
            raise TypeError(f"translate() got an unexpected keyword argument '{name}'")
    if sample:
        sampling.first_place = place
        search.sampling = sampling
    return search
