import json
import os
import pathlib
import subprocess
import sys

import pytest

import nmt
from nmt import metrics


def corpus(lines):
    """Hypotheses that differ from both references in their own ways."""
    hypotheses = [line if i % 3 else line.replace("the", "a", 1) for i, line in enumerate(lines)]
    return hypotheses, [lines, [" ".join(line.split()[1:]) for line in lines]]


def test_scores_and_signatures_are_those_of_sacrebleu(lines):
    sacrebleu = pytest.importorskip("sacrebleu")
    hypotheses, references = corpus(lines)
    for ours, theirs in [
        (metrics.bleu(hypotheses, references), sacrebleu.BLEU()),
        (metrics.bleu(hypotheses, references, tokenize="char", smooth="add-k", smooth_value=2, lowercase=True),
         sacrebleu.BLEU(tokenize="char", smooth_method="add-k", smooth_value=2, lowercase=True)),
        (metrics.chrf(hypotheses, references), sacrebleu.CHRF()),
        (metrics.chrf(hypotheses, references, word_order=2), sacrebleu.CHRF(word_order=2)),
        (metrics.ter(hypotheses, references), sacrebleu.TER()),
    ]:
        expected = theirs.corpus_score(hypotheses, references)
        assert ours.value == pytest.approx(expected.score, abs=1e-9)
        fields = theirs.get_signature().format().split("|")[:-1]
        assert ours.signature.split("|")[:-1] == fields


def test_comet_judges_as_unbabel_comet_does():
    data = os.environ.get("NMT_REFERENCE_DATA", "")
    if not os.path.isdir(data + "/foreign/comet"):
        pytest.skip("NMT_REFERENCE_DATA names no folder with foreign/comet")
    for name, has_reference in (("comet-da", True), ("kiwi", False), ("xcomet", True)):
        with open(f"{data}/foreign/comet/{name}/answers.json") as file:
            segments = json.load(file)["segments"][:5]
        hypotheses, sources = [[segment[key] for segment in segments] for key in ("mt", "src")]
        references = [segment["ref"] for segment in segments] if has_reference else []
        comet = metrics.Comet(f"{data}/foreign/comet/{name}", device="cpu", precision="f32", threads=1)
        judgments = comet.judge(hypotheses, sources, references)
        assert [each.score for each in judgments] == pytest.approx([each["score"] for each in segments], abs=1e-5)
        assert comet(hypotheses, sources, references) == pytest.approx(sum(map(float, judgments)) / 5, abs=1e-12)
        for judgment, segment in zip(judgments, segments):
            expected = [(each["text"], each["severity"], each["start"], each["end"]) for each in segment.get("error_spans", [])]
            assert [(each.text, each.severity, each.start, each.end) for each in judgment.errors] == expected
        assert repr(comet) == f"Comet('{name}', precision='f32')"
        with pytest.raises(nmt.UsageError, match="reads sources, which are missing"):
            comet.judge(hypotheses)
        with pytest.raises(nmt.UsageError, match="the number of hypotheses is 5, but that of sources 1"):
            comet.judge(hypotheses, ["a"], references)
    with pytest.raises(nmt.Error):
        metrics.Comet("missing")


def test_metricx_judges_as_google_research_does(tmp_path):
    tests = pathlib.Path(__file__).resolve().parent.parent
    model = tmp_path / "metricx-24"
    subprocess.run([sys.executable, tests / "fixtures/metricx.py", "--model", model], check=True)
    with open(tests / "data/metricx/answers.json", encoding="utf-8") as file:
        segments = json.load(file)[:20]
    sources, hypotheses, references = ([part * times for part, times in texts]
                                       for texts in zip(*(segment["texts"] for segment in segments)))
    metricx = metrics.MetricX(model, vocab=tests / "data/metricx/mt5-xl", device="cpu", precision="f32", threads=1)
    for key, given in (("metricx-24", references), ("metricx-24 without", [])):
        scores = [each.score for each in metricx.judge(hypotheses, sources, given)]
        assert scores == pytest.approx([segment[key] for segment in segments], abs=2e-4)
    assert repr(metricx) == "MetricX('metricx-24', precision='f32')"
    with pytest.raises(nmt.UsageError, match="is a MetricX model, which does not compute the metric comet"):
        metrics.Comet(model, vocab=tests / "data/metricx/mt5-xl")


def test_confidence_is_that_of_sacrebleu(lines):
    sacrebleu = pytest.importorskip("sacrebleu")
    hypotheses, references = corpus(lines)
    expected = sacrebleu.BLEU().corpus_score(hypotheses, references, n_bootstrap=200)
    ours = metrics.bleu(hypotheses, references, resamples=200)
    assert ours.confidence == pytest.approx(expected._ci, abs=1e-4)
    assert "bs:200|seed:12345" in ours.signature


@pytest.mark.parametrize("metric", ["bleu", "chrf++", "ter"])
@pytest.mark.parametrize("kind", ["bs", "ar"])
def test_differences_are_those_of_sacrebleu(lines, metric, kind):
    pytest.importorskip("sacrebleu")
    from sacrebleu.metrics import BLEU, CHRF, TER
    from sacrebleu.significance import PairedTest

    system, references = corpus(lines)
    baseline = [line.replace("a", "the", 1) if i % 2 else line for i, line in enumerate(system)]
    theirs = {"bleu": BLEU(references=references), "chrf++": CHRF(word_order=2, references=references),
              "ter": TER(references=references)}[metric]
    _, scores = PairedTest([("baseline", baseline), ("system", system)], {"m": theirs}, None, test_type=kind, n_samples=200)()
    expected = scores[list(scores)[-1]]  # after the names of the systems
    compare = metrics.paired_bootstrap if kind == "bs" else metrics.paired_randomization
    ours = compare(baseline, system, references, metric=metric, trials=200)
    assert ours.baseline.value == pytest.approx(expected[0].score, abs=1e-9)
    assert ours.system.value == pytest.approx(expected[1].score, abs=1e-9)
    assert ours.p_value == pytest.approx(expected[1].p_value, abs=1e-12)
    assert f"{kind}:200|seed:12345" in ours.system.signature


def test_sentences_are_scored_one_by_one(lines):
    hypotheses, references = corpus(lines)
    assert metrics.sentence_bleu(lines, lines) == [pytest.approx(100)] * len(lines)
    assert metrics.sentence_ter(lines, lines) == [0] * len(lines)
    scores = metrics.sentence_chrf(hypotheses, references)
    assert scores[0] == metrics.chrf(hypotheses[:1], [each[:1] for each in references]).value


def test_a_score_is_a_number_and_a_line(lines):
    score = metrics.bleu(lines, lines)
    assert float(score) == score.value == pytest.approx(100)
    assert repr(score).startswith("BLEU|nrefs:1|") and "= 100.00 " in repr(score)


def test_unequal_texts_are_refused():
    with pytest.raises(nmt.UsageError, match="hypotheses is 2, but that of references 1"):
        metrics.bleu(["a", "b"], ["a"])
    with pytest.raises(nmt.UsageError, match="nothing to score"):
        metrics.chrf([], [])
    with pytest.raises(nmt.UsageError, match="tokenizer 'none at all'|none at all"):
        metrics.bleu(["a"], ["a"], tokenize="none at all")
    with pytest.raises(nmt.UsageError, match="word_order is 1"):
        metrics.chrf(["a"], ["a"], word_order=1)
