"""What type checkers, completion and messages know of settings."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import nmt
from nmt import metrics, settings

# Lines without a comment are right; for the others mypy says what the comment has.
_PROGRAM = """
import nmt
from nmt import metrics

translator = nmt.Translator("model.safetensors", precision="int8", threads=2)
text: str = translator.translate("a", beam=3, length_penalty=0.6).text
texts: list[str] = [each.text for each in translator.translate(["a", "b"], mbr="chrf")]
best: list[list[nmt.Translation]] = translator.translate(["a", "b"], n_best=2)
scores: list[float] = translator.score("a", "b")
run = nmt.train("run", preset="transformer-tiny", steps=100, dropout=0, save_every="10m", train=["a.nmtc", "b.nmtc"], overwrite=True)
vocabulary = nmt.Vocabulary.train(["a", "b"], "out.spm", size=100, type="bpe")
value: float = metrics.bleu(["a"], ["a"], tokenize="intl").score
translator.translate("a", beem=3)  # overload
translator.translate("a", beam="3")  # overload
translator.translate(3)  # overload
translator.translate_iter(["a"], beem=3)  # overload
nmt.Translator("a", precison="int8")  # "precison"
nmt.Translator("a", precision="int9")  # "precision"
nmt.train("run", stepps=100)  # "stepps"
nmt.train("run", steps="many")  # "steps"
nmt.train("run", preset="transformer-tin")  # "preset"
nmt.Vocabulary.train("a", "b", sise=3)  # "sise"
metrics.bleu(["a"], ["a"], tokenize="13b")  # "tokenize"
"""


def test_mypy_knows_the_settings(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)
    package = Path(nmt.__file__).parent
    found = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--ignore-missing-imports",
                            "--disallow-incomplete-defs", "--no-error-summary", "--output", "json", str(program)],
                           capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(package.parent)}, check=False)
    assert found.stderr == ""
    errors = {}
    for line in found.stdout.splitlines():
        error = json.loads(line)
        if error["severity"] == "error":
            assert error["file"].endswith("program.py"), f"the package itself: {line}"
            errors[error["line"]] = error["message"].lower()
    for number, line in enumerate(_PROGRAM.splitlines(), 1):
        if "  # " in line:
            assert line.split("  # ")[1].lower() in errors.get(number, "no error"), f"{line}: {errors.get(number)}"
        else:
            assert number not in errors, f"{line}: {errors[number]}"


def test_the_settings_are_those_of_the_program():
    lines = subprocess.run([os.environ["NMT"], "--help=json"], capture_output=True, text=True, check=True).stdout.splitlines()
    tables = {table["command"]: {option["name"].replace("-", "_") for option in table["options"]} for table in map(json.loads, lines)}
    assert set(settings.TRAIN) <= tables["nmt train"]
    assert tables["nmt train"] - set(settings.TRAIN) == {"output", "config", "help", "verbose", "color", "dry_run", "list_presets"}
    assert set(settings.VOCABULARY) <= tables["nmt vocab"]
    # What a search takes under other names than those of the program.
    others = {"unknown", "sample", "split_sentences", "prefixes", "constraints_of_texts", "avoid_of_texts", "align", "score_tokens",
              "quality", "earlier_texts"}
    assert set(settings.SearchOptions.__annotations__) - others <= tables["nmt translate"]


def test_signatures_and_help_have_the_settings():
    for function, name in [(nmt.train, "steps"), (nmt.Translator.translate, "beam"), (nmt.Translator.translate_iter, "top_k"),
                           (nmt.Vocabulary.train, "coverage"), (nmt.Translator.__init__, "precision"), (nmt.Translator, "threads")]:
        parameters = inspect.signature(function).parameters
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY, function
        assert all(each.kind is not inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    assert "\n    steps: Maximum number of updates" in nmt.train.__doc__
    assert "int" in str(inspect.signature(nmt.train).parameters["steps"])


def test_unknown_names_are_told_with_the_likely_one(translator, tmp_path):
    for call, message in [
        (lambda: translator.translate("a", beem=3), r"translate\(\) got an unexpected keyword argument 'beem', did you mean 'beam'\?"),
        (lambda: translator.translate("a", num_beams=3), "'num_beams', did you mean 'beam'"),
        (lambda: translator.translate("a", nbest=3), "'nbest', did you mean 'n_best'"),
        (lambda: translator.translate_iter(["a"], beem=3), r"translate_iter\(\).*'beem', did you mean 'beam'"),
        (lambda: nmt.Translator("a", precison="int8"), r"Translator\(\).*'precison', did you mean 'precision'"),
        (lambda: nmt.train(tmp_path, max_epoch=3), r"train\(\).*'max_epoch', did you mean 'epochs'"),
        (lambda: nmt.train(tmp_path, batch_size=3), r"'batch_size', did you mean 'batch_tokens' \(tokens, not sentences\)"),
        (lambda: nmt.Vocabulary.train("a", "b", vocab_size=3), "'vocab_size', did you mean 'size'"),
    ]:
        with pytest.raises(TypeError, match=message):
            call()


def test_values_of_other_types_are_told(translator):
    for call, message in [
        (lambda: translator.translate(3), r"translate\(\): texts takes a str or an iterable of str, not the int 3"),
        (lambda: translator.translate(None), "not the NoneType None"),
        (lambda: translator.translate(b"a"), "not the bytes b'a'"),
        (lambda: translator.translate(["a", 3]), r"texts\[1\] is the int 3"),
        (lambda: translator.translate_iter("a"), r"translate_iter\(\): texts takes an iterable of str, not the str 'a'"),
        (lambda: translator.score("a", 3), r"score\(\): targets takes a str or an iterable of str, not the int 3"),
        (lambda: translator.translate("a", beam="wide"), r"translate\(\): beam takes int \| None, not the str 'wide'"),
        (lambda: nmt.Translator("a", threads="many"), r"Translator\(\): threads takes int, not the str 'many'"),
        (lambda: nmt.Translator(3), "Translator takes a path .* or several, not 3"),
        (lambda: nmt.average(3, "mean"), "average takes a path .* or several, not 3"),
        (lambda: metrics.bleu("a text", "a text"), r"bleu\(\): hypotheses takes a list of str, one for each segment, not the str 'a text'"),
        (lambda: metrics.chrf(["a"], "a"), r"chrf\(\): references takes a list of str"),
        (lambda: metrics.ter(["a"], 3), r"ter\(\): references takes a str or an iterable of str, not the int 3"),
    ]:
        with pytest.raises(TypeError, match=message):
            call()


def test_results_are_shown(translator, folder, lines):
    translation = translator.translate(lines[0])
    assert translation._repr_html_().startswith("<table><tr><td")
    assert f">{translation.text}<" in translation._repr_html_()
    score = metrics.bleu(["a <b>"], ["a <b>"])
    assert score.score == score.value == pytest.approx(float(score))
    assert "BLEU" in score._repr_html_() and "<b>" not in score._repr_html_()
    assert repr(translator) == f"Translator('{folder}/model.safetensors')"
    assert repr(nmt.Vocabulary(folder / "words.spm")).startswith(f"Vocabulary('{folder}/words.spm', ")


def test_notebooks_show_text_as_it_is():
    from nmt.notebook import table

    assert table([["<i>a & b</i>"]]) == '<table><tr><td style="text-align: left">&lt;i&gt;a &amp; b&lt;/i&gt;</td></tr></table>'
