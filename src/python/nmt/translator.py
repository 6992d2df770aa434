"""Translates and scores text with models."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Optional, Union, overload

from .keywords import check_names, described, set_all, takes, texts
from .lib import _nmt
from .lib._nmt import Translation
from .paths import Path, listed
from .settings import SAMPLING, EngineOptions, SearchOptions
from .terms import listed_terms

if TYPE_CHECKING:
    import numpy
    from typing_extensions import Unpack

Texts = Union[str, Iterable[str]]


class Scorer:
    """A model, or an ensemble of models with the same vocabularies, on a device, that scores and aligns given translations.

    models: a model file, the directory of a training run (its best model), a model of another toolkit, or a list of these;
        language models as well.
    device: "cpu", "cuda", "cuda:N", or "auto" for a GPU if there is one, else the CPU.
    precision: "f32", "bf16", "int8", on GPUs also "f16" and "tf32"; "auto": as for `nmt translate`.
    threads: number of CPU threads; 0: one for each core that this process may use.
    source_language, target_language: for multilingual models, as the codes that they use ("deu_Latn").
    weights: the weight of each model of an ensemble; by default all count equally.
    language_model, language_model_weight: a language model with the target vocabulary (shallow fusion), and its weight.
    quality_model: a model that judges translations without references, such as CometKiwi, for translate(quality=True).
    no_shortlist: consider all target pieces, even if the model comes with a shortlist.

    A UserWarning is issued once if text is probably not what the model expects, such as text in another script.

    Several threads may share an object: what they request at the same time is computed together. A forked process must open an
    object of its own.
    """

    def __init__(self, models: Union[Path, Iterable[Path]], **settings: Unpack[EngineOptions]) -> None:
        name = type(self).__name__
        check_names(name, settings, EngineOptions)
        chosen = _nmt.EngineSettings()
        given: dict[str, Any] = {key: value for key, value in settings.items() if value is not None}
        for name_of_path in {"language_model", "quality_model"} & given.keys():
            given[name_of_path] = os.fspath(given[name_of_path])
        set_all(chosen, name, given, EngineOptions)
        self._models = listed(models, name)
        self._engine = _nmt.Engine(self._models, chosen)
        self._process = os.getpid()
        self._warn(calls=1)

    def __repr__(self) -> str:
        models = self._models if len(self._models) > 1 else self._models[0]
        return f"{type(self).__name__}({models!r})"

    @overload
    def score(self, sources: Optional[str], targets: str) -> list[float]: ...

    @overload
    def score(self, sources: Optional[Iterable[str]], targets: Iterable[str]) -> list[list[float]]: ...

    def score(self, sources: Optional[Texts], targets: Texts) -> Any:
        """Returns, for each pair, the natural log-probability of each token of the target and of EOS (end of sentence).

        sources: None for language models.
        """
        if sources is None:
            targets = targets if isinstance(targets, str) else texts(targets, "score", "targets")
            sources = "" if isinstance(targets, str) else [""] * len(targets)
        return self._of_pairs("score", self._engine.score, sources, targets)

    @overload
    def align(self, sources: str, targets: str) -> numpy.ndarray: ...

    @overload
    def align(self, sources: Iterable[str], targets: Iterable[str]) -> list[numpy.ndarray]: ...

    def align(self, sources: Texts, targets: Texts) -> Any:
        """Returns, for each pair, the attention of each target word to each source word, as a numpy array.

        Its shape is (target words + 1, source words + 1). Words are separated by ASCII white space; the last row and column
        belong to EOS (end of sentence). Each row sums to 1. The attention is that of the first model; `nmt attention` draws it.
        """
        return self._of_pairs("align", self._engine.align, sources, targets)

    def _of_pairs(self, name: str, compute: Callable[[list[str], list[str]], list[Any]], sources: Texts, targets: Texts) -> Any:
        self._check_process()
        results = compute(texts(sources, name, "sources"), texts(targets, name, "targets"))
        self._warn()
        return results[0] if isinstance(sources, str) else results

    def _warn(self, calls: int = 2) -> None:
        """Issues the warnings of the engine in the name of the caller `calls` levels above."""
        for text in self._engine.take_warnings():
            warnings.warn(text, stacklevel=calls + 2)

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise _nmt.Error("this process was forked from the one that opened the translator, whose threads it lacks; "
                             "open one here, or start processes with multiprocessing's method 'spawn'")


takes(EngineOptions)(Scorer.__init__)


class Translator(Scorer):
    """A Scorer that also translates."""

    @overload
    def translate(self, texts: str, *, n_best: None = None, **settings: Unpack[SearchOptions]) -> Translation: ...

    @overload
    def translate(self, texts: str, *, n_best: int, **settings: Unpack[SearchOptions]) -> list[Translation]: ...

    @overload
    def translate(self, texts: Iterable[str], *, n_best: None = None, **settings: Unpack[SearchOptions]) -> list[Translation]: ...

    @overload
    def translate(self, texts: Iterable[str], *, n_best: int, **settings: Unpack[SearchOptions]) -> list[list[Translation]]: ...

    @takes(SearchOptions)
    def translate(self, texts: Texts, *, n_best: Optional[int] = None, **settings: Unpack[SearchOptions]) -> Any:
        """Translates a text, or several, and returns a Translation (`text`, `score`, `log_probability`) for each.

        n_best: returns a list of this many Translations for each text, best first; the beam is at least as wide.

        By default, settings of the search such as beam are those of the model, else those of `nmt translate`.

        avoid is a list of phrases that no translation includes. constraints is a list of lists of phrases: each translation
        must include a phrase of each list, and its `missing` is the number of lists that it does not meet.
        constraints_of_texts and avoid_of_texts have additional constraints and phrases for each text.
        glossary has terms with the translations that they must have in sentences where they occur: a dict, or a list of pairs
        with optional flags, such as ("US", "USA", "case"). A translation may be a list of alternatives; None keeps the term.
        `terms` of a Translation lists the terms of its text, with `source`, `targets` and `met`.
        unknown=False keeps the unknown piece out of translations; replace_unknown=True replaces it by the aligned source word.
        markup=True is for texts in HTML or XML: tags are kept around the same words.
        keep is a list of the parts that are copied: "urls", "emails", "placeholders", "printf", "emoji", or regular
        expressions.
        score_tokens=True sets `tokens` and `words` of each Translation, whose items have `text` and `log_probability`.
        align=True sets `alignment`, a numpy array as align() returns it.
        quality=True sets `quality`, an estimate by the quality_model of the translator, and `sentences` with `source`, `text`
        and `quality` of each sentence.
        mbr="chrf" returns those candidates (samples, or the hypotheses of the beam) that are most similar to all candidates.
        prefixes has the beginning of the translations of each text. alternatives=True with n_best=N continues it with the N
        most probable tokens, and sets `alternative` and `alternative_log_probability` of each Translation.
        context=N translates each text together with up to N sentences before it: the texts before it, and the list
        earlier_texts before the first one. The model must be trained for it. A text without words separates documents.
        split_sentences=True translates the sentences of each text one by one. split_language, such as "en", is the language of
        the texts, by default source_language. abbreviations is a file of more abbreviations that end no sentence.
        too_long is what happens to text of more than 1024 tokens, or more than the model takes: "split" translates it in
        parts, and also divides text that is longer than the sentences that the model was trained with; "truncate" drops its
        end and sets `truncated` of the Translation; "refuse" raises an Error.
        sample=True draws translations at random, with temperature, top_k, top_p, min_p, epsilon and seed. The samples of a text
        depend on the text, its position and the seed. without_replacement=True draws no translation of a text twice.
        `notices` of a Translation lists the defaults, such as those of the model, that these settings have overridden.
        """
        results = self._translate("translate", texts, n_best, settings)
        return results[0] if isinstance(texts, str) else results

    @overload
    async def translate_async(self, texts: str, *, n_best: None = None, **settings: Unpack[SearchOptions]) -> Translation: ...

    @overload
    async def translate_async(self, texts: str, *, n_best: int, **settings: Unpack[SearchOptions]) -> list[Translation]: ...

    @overload
    async def translate_async(self, texts: Iterable[str], *, n_best: None = None,
                              **settings: Unpack[SearchOptions]) -> list[Translation]: ...

    @overload
    async def translate_async(self, texts: Iterable[str], *, n_best: int,
                              **settings: Unpack[SearchOptions]) -> list[list[Translation]]: ...

    @takes(SearchOptions)
    async def translate_async(self, texts: Texts, *, n_best: Optional[int] = None, **settings: Unpack[SearchOptions]) -> Any:
        """Translates like translate(), without blocking the event loop. Concurrent calls share batches."""
        import asyncio  # imported here because it would double the time to import nmt

        results = await asyncio.to_thread(self._translate, "translate_async", texts, n_best, settings)
        return results[0] if isinstance(texts, str) else results

    @overload
    def translate_iter(self, texts: Iterable[str], *, n_best: None = None, chunk: int = 2000,
                       **settings: Unpack[SearchOptions]) -> Iterator[Translation]: ...

    @overload
    def translate_iter(self, texts: Iterable[str], *, n_best: int, chunk: int = 2000,
                       **settings: Unpack[SearchOptions]) -> Iterator[list[Translation]]: ...

    @takes(SearchOptions)
    def translate_iter(self, texts: Iterable[str], *, n_best: Optional[int] = None, chunk: int = 2000,
                       **settings: Unpack[SearchOptions]) -> Iterator[Any]:
        """Translates any number of texts as they arrive, and yields the result of translate() for each, in order.

        At most two chunks of texts and their translations are in memory.
        """
        if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
            raise TypeError(f"translate_iter(): texts takes an iterable of str, not {described(texts)}")
        search_settings(settings, "translate_iter", 0)  # before the first text is requested
        return self._translate_chunks(iter(texts), n_best, chunk, settings)

    def _translate_chunks(self, texts: Iterator[str], n_best: Optional[int], chunk: int, settings: SearchOptions) -> Iterator[Any]:
        place = 0
        earlier = list(settings.get("earlier_texts") or [])
        with ThreadPoolExecutor(2) as pool:
            pending = None
            while some := list(itertools.islice(texts, chunk)):
                if context := settings.get("context"):
                    settings = {**settings, "earlier_texts": earlier}
                    earlier = (earlier + some)[-context:]
                following = pool.submit(self._translate, "translate_iter", some, n_best, settings, place)
                place += len(some)
                if pending:
                    yield from pending.result()
                pending = following
            if pending:
                yield from pending.result()

    def _translate(self, function: str, given: Texts, n_best: Optional[int], settings: SearchOptions,
                   place: int = 0) -> Union[list[Translation], list[list[Translation]]]:
        self._check_process()
        search = search_settings(settings, function, place)
        set_all(search, function, {"n_best": n_best or 1}, SearchOptions)
        results = self._engine.translate(texts(given, function, "texts"), search)
        self._warn()
        return results if n_best else [best[0] for best in results]


def search_settings(settings: SearchOptions, function: str, place: int) -> _nmt.SearchSettings:
    """Returns the settings of a search. Raises TypeError for unknown names and wrong types."""
    check_names(function, settings, SearchOptions, ["n_best"])
    search, sampling = _nmt.SearchSettings(), _nmt.SamplingSettings()
    given: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
    drawn = {name: given.pop(name) for name in list(given) if name in SAMPLING}
    sample = given.pop("sample", False)
    if drawn and not sample:
        raise _nmt.UsageError(f"{next(iter(drawn))} is of samples; give sample=True as well")
    if "glossary" in given:
        given["glossary"] = listed_terms(given["glossary"], function)
    set_all(search, function, given, SearchOptions)
    if sample:
        set_all(sampling, function, {**drawn, "first_place": place}, SearchOptions)
        search.sampling = sampling
    return search
