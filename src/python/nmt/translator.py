"""Models that translate and score."""

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

if TYPE_CHECKING:
    import numpy
    from typing_extensions import Unpack

Texts = Union[str, Iterable[str]]


class Scorer:
    """A model, or an ensemble of models with the same vocabularies, on a device: what it says of texts that are there.

    models: the file of a model, a run directory, whose best model counts, a model of another toolkit, or several; language
        models as well.
    device: "cpu", "cuda", "cuda:N"; "auto": a GPU where there is one, else the CPU.
    precision: "f32", "bf16", "int8", on GPUs also "f16" and "tf32"; "auto" as `nmt translate` has it.
    threads: to compute with; 0: as many as there are cores for this process.
    source_language, target_language: for models of several languages, by the codes that they know ("deu_Latn").
    weights: how much each model of an ensemble counts; by default all the same.
    language_model, language_model_weight: a language model with the target vocabulary (shallow fusion).
    no_shortlist: consider all target pieces, even where the model comes with a shortlist.

    A UserWarning says once when text cannot be what the model expects, such as text in another script.

    Threads may share one: what they ask for at the same time is computed together. A process that was forked has to
    open its own.
    """

    def __init__(self, models: Union[Path, Iterable[Path]], **settings: Unpack[EngineOptions]) -> None:
        name = type(self).__name__
        check_names(name, settings, EngineOptions)
        chosen = _nmt.EngineSettings()
        given: dict[str, Any] = {key: value for key, value in settings.items() if value is not None}
        if "language_model" in given:
            given["language_model"] = os.fspath(given["language_model"])
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
        """The natural log-probability of each token of a translation, and of the end of sentence, for each pair.

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
        """How much each word of a translation looks at each word of its source: a numpy array for each pair.

        Its shape is (target words + 1, source words + 1), words as ASCII white space divides them, the end of sentence last; a
        row sums to 1. It is the attention of the first model: `nmt attention` draws it.
        """
        return self._of_pairs("align", self._engine.align, sources, targets)

    def _of_pairs(self, name: str, compute: Callable[[list[str], list[str]], list[Any]], sources: Texts, targets: Texts) -> Any:
        self._check_process()
        results = compute(texts(sources, name, "sources"), texts(targets, name, "targets"))
        self._warn()
        return results[0] if isinstance(sources, str) else results

    def _warn(self, calls: int = 2) -> None:
        """Warns in the name of the caller of the method that has called this, so many calls above."""
        for text in self._engine.take_warnings():
            warnings.warn(text, stacklevel=calls + 2)

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise _nmt.Error("this process was forked from the one that opened the translator, whose threads it lacks; "
                             "open one here, or start processes with multiprocessing's method 'spawn'")


takes(EngineOptions)(Scorer.__init__)


class Translator(Scorer):
    """A Scorer that translates."""

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
        """Translates a text, or a list of texts, and returns a Translation (`text`, `score`, `log_probability`) for each.

        n_best: with it, a list of so many Translations for each text, best first; the beam is as wide at least.

        Settings of the search, such as beam, have the defaults of the model, or else those of `nmt translate`.
        avoid is a list of phrases, and constraints a list of lists of phrases one of each of which must occur:
        `missing` of a Translation says how many do not. constraints_of_texts and avoid_of_texts have for each text what
        counts for it alone, besides. unknown=False lets no unknown piece in, and replace_unknown=True
        puts the word of the text in its place.
        markup=True is for texts in HTML or XML, whose tags come to stand around the same words.
        keep, a list, names what stays as it is: "urls", "emails", "placeholders", "printf", "emoji", or regular
        expressions.
        score_tokens=True tells `tokens` and `words` of each Translation, which have `text` and `log_probability`.
        align=True tells its `alignment`, a numpy array as align() has it.
        mbr="chrf" tells of candidates, samples or what the beam holds, those that are most like all of them.
        prefixes has for each text what its translations begin with. alternatives=True with n_best=N goes on behind it
        with the N most probable tokens: `alternative` and `alternative_log_probability` of each Translation.
        split_sentences=True translates the sentences of each text one by one. split_language, such as "en", is the
        language of the texts, by default source_language. abbreviations is a file of more abbreviations, which end no
        sentence.
        too_long says how text of more than 1024 tokens, or more than the model takes, is handled: "split" translates it in
        parts, as it does text that is longer than the sentences of the model's training; "truncate" leaves its end out
        and sets `truncated` of the Translation; "refuse" raises an Error.
        `notices` of a Translation tells of defaults, such as the model's, that gave way to these settings.
        sample=True draws translations at random, by temperature, top_k, top_p, min_p and seed; those of a text depend on
        it, its place among the texts and the seed. without_replacement=True draws none of a text twice.
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
        """The same as translate(), while the event loop goes on. What is asked for at the same time shares batches."""
        import asyncio  # which takes half of the time of importing nmt, for those who want it

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
        """Translates texts of any number as they come, and yields what translate() has for each, in order.

        At most two chunks of texts, and their translations, are in memory.
        """
        if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
            raise TypeError(f"translate_iter(): texts takes an iterable of str, not {described(texts)}")
        search_settings(settings, "translate_iter", 0)  # before the first text is asked for
        return self._translate_chunks(iter(texts), n_best, chunk, settings)

    def _translate_chunks(self, texts: Iterator[str], n_best: Optional[int], chunk: int, settings: SearchOptions) -> Iterator[Any]:
        place = 0
        with ThreadPoolExecutor(2) as pool:
            pending = None
            while some := list(itertools.islice(texts, chunk)):
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
    """The settings of a search. Raises TypeError for names and types that it does not have."""
    check_names(function, settings, SearchOptions)
    search, sampling = _nmt.SearchSettings(), _nmt.SamplingSettings()
    given: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
    drawn = {name: given.pop(name) for name in list(given) if name in SAMPLING}
    sample = given.pop("sample", False)
    if drawn and not sample:
        raise _nmt.UsageError(f"{next(iter(drawn))} is of samples; give sample=True as well")
    set_all(search, function, given, SearchOptions)
    if sample:
        set_all(sampling, function, {**drawn, "first_place": place}, SearchOptions)
        search.sampling = sampling
    return search
