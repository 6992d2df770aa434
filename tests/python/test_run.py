import pytest

import nmt


@pytest.fixture(scope="module")
def settings(folder):
    return {"source": folder / "train.src", "target": folder / "train.tgt", "vocab": folder / "words.spm",
            "preset": "transformer-tiny", "d_model": 32, "d_ff": 32, "encoder_layers": 1, "decoder_layers": 1,
            "device": "cpu", "threads": 1, "batch_tokens": 200, "log_every": 1}


def test_a_run_tells_its_figures(settings, tmp_path):
    rows = []
    run = nmt.train(tmp_path / "run", callback=rows.append, steps=3, **settings)
    assert [row["step"] for row in rows if row["event"] == "train"] == [1, 2, 3]
    metrics = run.metrics()
    assert metrics["step"] == [1, 2, 3] and all(loss > 0 for loss in metrics["loss"])
    assert run.last.is_file() and run.best is None
    assert "d_model: 32" in run.config
    assert nmt.Translator(run.path, device="cpu").translate("a").text is not None


def test_a_run_that_was_interrupted_goes_on(settings, tmp_path):
    def interrupt(row):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nmt.train(tmp_path / "run", callback=interrupt, steps=100000, **settings)
    done = nmt.Run(tmp_path / "run").metrics()["step"][-1]
    rows = []
    nmt.train(tmp_path / "run", callback=rows.append, steps=done + 2)
    assert [row["step"] for row in rows] == [done + 1, done + 2]


def test_mistakes_are_those_of_the_program(settings, tmp_path):
    with pytest.raises(nmt.UsageError, match="no-such-option"):
        nmt.train(tmp_path / "run", no_such_option=1, **settings)
    with pytest.raises(nmt.Error, match="no.src"):
        nmt.train(tmp_path / "run", steps=1, **{**settings, "source": "no.src"})
    with pytest.raises(nmt.Error, match="config.yml"):
        nmt.Run(tmp_path)
