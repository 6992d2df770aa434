import asyncio
import gc
import multiprocessing
import os
import re
import signal
import subprocess
import threading
import warnings
from pathlib import Path

import pytest

import nmt


def texts_of(translations):
    return [translation.text for translation in translations]


def test_translates_as_the_program_does(translator, folder, lines):
    program = [os.environ["NMT"], "translate", "-m", str(folder / "model.safetensors"), "--device", "cpu", "--quiet"]
    expected = subprocess.run(program, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    assert texts_of(translator.translate(lines)) == expected.stdout.splitlines()


def test_one_text_has_one_translation(translator, lines):
    translation = translator.translate(lines[0])
    assert translation.text == translator.translate(lines[:1])[0].text
    assert translation.score < 0
    assert repr(translation).startswith(f"Translation(text={translation.text!r}, score=-")
    assert translator.translate("").text == ""
    assert translator.translate([]) == []


def test_n_best_lists_are_ranked(translator, lines):
    for best in translator.translate(lines[:5], n_best=3, beam=3):
        scores = [translation.score for translation in best]
        assert len(best) == 3 and scores == sorted(scores, reverse=True)


def test_settings_reach_the_search(translator, lines):
    long = translator.translate(lines[0], min_length=12, max_length_extra=12)
    assert len(long.text.split()) > len(translator.translate(lines[0]).text.split())
    greedy = translator.translate(lines[0], beam=1, length_penalty=0)
    assert greedy.score == pytest.approx(sum(translator.score(lines[0], greedy.text)), abs=1e-3)


def test_alternatives_differ_behind_the_prefix(translator, lines):
    found = translator.translate(lines[:1], n_best=3, beam=2, alternatives=True)[0]
    assert len({each.alternative for each in found}) == 3
    assert found[0].alternative_log_probability > found[1].alternative_log_probability
    assert translator.translate(lines[0]).alternative is None
    assert translator.translate(lines[0], coverage_penalty=3.0).score <= translator.translate(lines[0]).score


def test_warns_once_of_text_that_the_model_does_not_know(folder, lines):
    translator = nmt.Translator(folder / "model.safetensors", device="cpu", threads=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        translator.translate(lines)
    with pytest.warns(UserWarning, match="source tokens are unknown to the model") as told:
        nmt.Translator(folder / "model.safetensors", device="cpu").translate("日本")
    assert len(told) == 1 and told[0].filename == __file__
    with pytest.warns(UserWarning, match="source tokens are unknown to the model"):
        translator.translate(["日本"] * 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        translator.translate(["日本"] * 1000)
    with pytest.warns(UserWarning, match="target tokens are unknown to the model"):
        translator.score(lines[0], "日 本 " * 10)


def test_glossaries_are_followed(translator, lines):
    source, usual = lines[0].split()[0], translator.translate(lines[0]).text.split()
    other = next(word for line in lines for word in translator.translate(line).text.split() if word not in usual)
    for glossary in ({source: other}, {source: ["absent", other]}, [(source, other)], [(source, other, "case,prefix")]):
        found = translator.translate(lines[0], glossary=glossary)
        assert other in found.text.split()
        assert [(term.source, term.met) for term in found.terms] == [(source, True)]
    assert translator.translate(lines[0], glossary={}).terms == []
    assert translator.translate(lines[0], glossary={source: usual[0]}).text.split() == usual
    for wrong, message in ((["ab"], "is a pair"), (3, "takes a dict or a list of pairs"), ([(source, 3)], "is a pair")):
        with pytest.raises(TypeError, match=message):
            translator.translate(lines[0], glossary=wrong)
    with pytest.raises(nmt.UsageError, match="there is no term"):
        translator.translate(lines[0], glossary={" ": other})


def test_phrases_are_avoided_or_must_occur(translator, lines):
    usual = translator.translate(lines[0]).text.split()
    other = next(word for line in lines for word in translator.translate(line).text.split() if word not in usual)
    assert usual[0] not in translator.translate(lines[0], avoid=[usual[0]]).text.split()
    assert other in translator.translate(lines[0], constraints=[[other]], beam=8).text.split()
    assert translator.translate([lines[0]], prefixes=[other])[0].text.startswith(other)
    some, none = translator.translate([lines[0]] * 2, constraints_of_texts=[[[other]], []],
                                      avoid_of_texts=[[], [usual[0]]], beam=8)
    assert other in some.text.split() and usual[0] not in none.text.split()


def test_samples_depend_on_seed_and_place(translator, lines):
    samples = texts_of(translator.translate(lines, sample=True, temperature=2.0, seed=5))
    assert samples == texts_of(translator.translate(lines, sample=True, temperature=2.0, seed=5))
    assert samples != texts_of(translator.translate(lines, sample=True, temperature=2.0, seed=6))
    assert samples == texts_of(translator.translate_iter(lines, chunk=7, sample=True, temperature=2.0, seed=5))


def test_samples_without_replacement_differ(translator, lines):
    for samples in translator.translate(lines[:5], sample=True, without_replacement=True, n_best=6):
        assert len({(sample.text, sample.score) for sample in samples}) == 6
    with pytest.raises(nmt.UsageError, match="without_replacement.*top_k.*exclude"):
        translator.translate(lines[0], sample=True, without_replacement=True, top_k=3)


def test_memory_stays_as_it_is(folder, translator, lines):
    def resident():
        gc.collect()
        status = Path("/proc/self/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1))

    def work(calls):
        for i in range(calls):
            translator.translate([lines[i % len(lines)]], n_best=2)
        for _ in range(calls // 20):
            nmt.Translator(folder / "model.safetensors", device="cpu", threads=1).translate(lines[0])

    work(100)
    before = resident()
    work(1000)
    assert resident() - before < 2000, "KiB more than after a tenth of the work"


def test_an_iterator_is_read_as_far_as_it_is_needed(translator, lines):
    read = []

    def source():
        for line in lines * 3:
            read.append(line)
            yield line

    translations = translator.translate_iter(source(), chunk=5)
    assert next(translations).text == translator.translate(lines[0]).text
    assert len(read) <= 10
    assert len(list(translations)) == 3 * len(lines) - 1


def test_asynchronous_calls_share_a_translator(translator, lines):
    async def all_of_them():
        return await asyncio.gather(*(translator.translate_async(line) for line in lines[:8]))

    assert texts_of(asyncio.run(all_of_them())) == texts_of(translator.translate(lines[:8]))


def test_threads_share_a_translator(translator, lines):
    expected, got = texts_of(translator.translate(lines)), {}
    threads = [threading.Thread(target=lambda i=i: got.update({i: texts_of(translator.translate(lines))}))
               for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {i: expected for i in range(4)}


def test_ctrl_c_ends_a_call(translator, lines):
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            translator.translate(lines * 100)
    timer.join()
    assert translator.translate(lines[0]).text != ""


def test_alignments_are_distributions_over_source_words(translator, lines):
    targets = texts_of(translator.translate(lines))
    for source, target, weights in zip(lines, targets, translator.align(lines, targets)):
        assert weights.shape == (len(target.split()) + 1, len(source.split()) + 1)
        assert weights.sum(axis=1) == pytest.approx(1)
    assert (translator.align(lines[0], targets[0]) == translator.align(lines[:1], targets[:1])[0]).all()


def test_tokens_and_alignments_come_with_translations(translator, lines):
    found = translator.translate(lines[0], score_tokens=True, align=True)
    assert sum(token.log_probability for token in found.tokens) == pytest.approx(found.log_probability, abs=1e-5)
    assert [word.text for word in found.words] == found.text.split()
    assert (abs(found.alignment - translator.align(lines[0], found.text)) < 1e-5).all()
    assert translator.translate(lines[0]).tokens == [] and translator.translate(lines[0]).alignment is None


def test_quality_is_estimated(folder, translator, lines):
    models = os.environ.get("NMT_REFERENCE_DATA", "") + "/foreign/comet"
    if not os.path.isdir(models):
        pytest.skip("NMT_REFERENCE_DATA names no folder with foreign/comet")
    judging = nmt.Translator(folder / "model.safetensors", quality_model=Path(models) / "kiwi", device="cpu", threads=1)
    kiwi = nmt.metrics.Comet(models + "/kiwi", device="cpu", threads=1)
    translations = judging.translate(lines[:3], quality=True)
    assert texts_of(translations) == texts_of(translator.translate(lines[:3]))
    for translation, line in zip(translations, lines):
        (sentence,) = translation.sentences
        assert (sentence.source, sentence.text) == (line, translation.text)
        assert translation.quality == sentence.quality == pytest.approx(kiwi([translation.text], [line]), abs=1e-6)
    assert repr(sentence) == f"JudgedSentence(source={line!r}, text={translation.text!r}, quality={sentence.quality:.6g})"
    (split,) = judging.translate([" ".join(line.capitalize() + "." for line in lines[:2])], quality=True, split_sentences=True)
    assert len(split.sentences) == 2
    assert split.quality == pytest.approx(sum(each.quality for each in split.sentences) / 2, abs=1e-12)
    assert judging.translate(lines[0]).quality is None
    with pytest.raises(nmt.UsageError, match="name it as `quality_model`"):
        translator.translate(lines[0], quality=True)


def test_a_scorer_opens_language_models(folder, translator, lines, tmp_path):
    nmt.train(tmp_path / "lm", preset="lm-small", d_model=16, d_ff=32, heads=2, decoder_layers=1, vocab=folder / "words.spm",
              target=folder / "test.src", batch_tokens=200, steps=2, device="cpu", quiet=True)
    scorer = nmt.Scorer(tmp_path / "lm", device="cpu", threads=1)
    scores = scorer.score(None, lines[:2])
    pieces = nmt.Vocabulary(folder / "words.spm")
    assert [len(each) for each in scores] == [len(pieces.encode(line)) + 1 for line in lines[:2]]
    assert scorer.score(None, lines[1]) == pytest.approx(scores[1], abs=1e-5) and max(scores[1]) < 0
    assert nmt.Scorer(folder / "model.safetensors", device="cpu", threads=2).score(lines[0], lines[1]) == pytest.approx(
        translator.score(lines[0], lines[1]), abs=1e-6)


def test_markup_stays_around_its_words(translator, lines):
    text = translator.translate(lines[0]).text
    assert translator.translate(f"<i>{lines[0]}</i>", markup=True).text == f"<i>{text}</i>"


def test_settings_have_the_names_of_the_program(folder, translator, lines):
    program = [os.environ["NMT"], "translate", "-m", str(folder / "model.safetensors"), "--device", "cpu", "--quiet",
               "--length-normalization", "power", "--word-penalty", "1.5", "--beam-rules", "marian", "--patience", "1", "--no-unk"]
    expected = subprocess.run(program, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    found = translator.translate(lines, length_normalization="power", word_penalty=1.5, beam_rules="marian", patience=1,
                                 unknown=False)
    assert texts_of(found) == expected.stdout.splitlines()
    with pytest.raises(nmt.UsageError, match="it must be one of nmt, marian"):
        translator.translate(lines[0], beam_rules="other")


def test_text_that_is_too_long_is_translated_in_parts(translator, lines):
    text = " ".join(lines * (30000 // sum(map(len, lines)) + 1))
    search = {"beam": 1, "max_length_factor": 0, "max_length_extra": 40, "min_length": 40, "score_tokens": True}
    found = translator.translate(text, **search)
    cut = translator.translate(text, **search, too_long="truncate")
    assert (found.truncated, cut.truncated) == (False, True)
    assert len(found.tokens) >= 3 * len(cut.tokens)
    with pytest.raises(nmt.Error, match="the limit is 1024 tokens"):
        translator.translate(text, too_long="refuse")


def test_defaults_give_way_with_a_notice(translator, lines):
    found = translator.translate(lines[0], n_best=6)
    assert len(found) == 6
    assert found[0].notices == ["`n_best` overrides the default `beam` 4: searching with 6"]
    assert translator.translate(lines[0], beam=6).notices == []


def fork_and_translate(translator, line, answer):
    try:
        translator.translate(line)
        answer.put("translated")
    except nmt.Error as error:
        answer.put(str(error))


def test_a_forked_process_is_told_to_open_its_own(translator, lines):
    context = multiprocessing.get_context("fork")
    answer = context.Queue()
    process = context.Process(target=fork_and_translate, args=(translator, lines[0], answer))
    process.start()
    assert "forked" in answer.get(timeout=60)
    process.join()


def test_mistakes_are_errors_of_two_kinds(translator, folder):
    assert issubclass(nmt.UsageError, nmt.Error) and issubclass(nmt.Error, RuntimeError)
    with pytest.raises(nmt.Error, match="nothing.safetensors"):
        nmt.Translator(folder / "nothing.safetensors")
    with pytest.raises(nmt.UsageError, match="beam is 0"):
        translator.translate("a", beam=0)
    with pytest.raises(nmt.UsageError, match="sample=True"):
        translator.translate("a", temperature=0.5)
    with pytest.raises(nmt.UsageError, match="`sample` and `beam` exclude each other"):
        translator.translate("a", sample=True, beam=8)
    with pytest.raises(nmt.UsageError, match="`diversity` needs several groups"):
        translator.translate("a", diversity=5)
    with pytest.raises(nmt.UsageError, match="sources is 1, but that of targets 2"):
        translator.score(["a"], ["b", "c"])
    with pytest.raises(TypeError, match="baem"):
        translator.translate("a", baem=3)
