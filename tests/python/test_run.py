import os
import signal
import subprocess
import sys

import pytest

import nmt

# Replaces the program: prints how often it is asked to end within some seconds after the first time.
_ASKED = """#!{python}
import signal
signals = [signal.SIGINT]
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
print("ready", flush=True)
signal.sigwait(signals)
print("asked", flush=True)
print("twice" if signal.sigtimedwait(signals, {seconds}) else "once", flush=True)
"""
_TRAIN = "import sys, nmt; nmt.program.find = lambda: sys.argv[1]; nmt.train(sys.argv[2])"


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


def test_true_and_false_are_those_of_switches_and_of_values(settings, tmp_path):
    config = nmt.train(tmp_path / "run", steps=1, **settings, drop_identical=False, output_bias=True, final_norm=False,
                       layer_normalization=None).config
    assert "drop_identical: false" in config and "output_bias: true" in config and "final_norm: false" in config
    with pytest.raises(TypeError, match="no_such_switch"):
        nmt.train(tmp_path / "none", no_such_switch=False, **settings)
    with pytest.raises(TypeError, match="batch_tokens takes a value, not False"):
        nmt.train(tmp_path / "none", **{**settings, "batch_tokens": False})
    with pytest.raises(TypeError, match="overwrite takes True or False, not 3"):
        nmt.train(tmp_path / "none", **settings, overwrite=3)


@pytest.fixture
def start_on_terminal(tmp_path):
    """Starts a Python that trains by `_ASKED`, in a process group like that of a terminal, which Ctrl-C is sent to."""
    started = []

    def start(seconds):
        program = tmp_path / "nmt"
        program.write_text(_ASKED.format(python=sys.executable, seconds=seconds))
        program.chmod(0o755)
        started.append(subprocess.Popen([sys.executable, "-c", _TRAIN, program, tmp_path / "run"], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True))
        assert started[0].stdout.readline() == "ready\n"
        return started[0]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_the_program_hears_of_an_interrupt_once(start_on_terminal):
    python = start_on_terminal(seconds=1)
    os.killpg(python.pid, signal.SIGINT)
    told, errors = python.communicate()
    assert told.splitlines() == ["asked", "once"] and errors.endswith("KeyboardInterrupt\n")


def test_the_program_hears_of_a_second_interrupt(start_on_terminal):
    python = start_on_terminal(seconds=60)
    os.killpg(python.pid, signal.SIGINT)
    assert python.stdout.readline() == "asked\n"
    os.killpg(python.pid, signal.SIGINT)
    told, errors = python.communicate()
    assert told == "twice\n" and errors.endswith("KeyboardInterrupt\n")


def test_mistakes_are_those_of_the_program(settings, tmp_path):
    with pytest.raises(TypeError, match="no_such_option"):
        nmt.train(tmp_path / "run", no_such_option=1, **settings)
    with pytest.raises(nmt.UsageError, match="--steps: expected a whole number"):
        nmt.train(tmp_path / "run", steps="many", **settings)
    with pytest.raises(nmt.Error, match="no.src"):
        nmt.train(tmp_path / "run", steps=1, **{**settings, "source": "no.src"})
    with pytest.raises(nmt.Error, match="config.yml"):
        nmt.Run(tmp_path)


def test_a_progress_bar_shows_how_far_a_run_is(settings, tmp_path, capfd):
    nmt.train(tmp_path / "run", steps=4, progress=True, **settings)
    told = capfd.readouterr()
    assert told.out == ""
    lines = told.err.strip("\r\n").split("\r")
    assert lines[-1].startswith("100% |########################| 4/4, perplexity ")
    nmt.train(tmp_path / "run", steps=5)
    assert capfd.readouterr().err == "", "it is no terminal"


def test_a_progress_bar_is_on_a_terminal_only(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert nmt.progress.is_wanted()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    assert nmt.progress.is_wanted() == ("ipykernel" in sys.modules)


def test_a_progress_bar_tells_the_time_that_is_left(monkeypatch, capsys):
    clock = iter([100.0, 130.0, 131.0])
    monkeypatch.setattr(nmt.progress.time, "monotonic", lambda: next(clock))
    bar = nmt.progress.Bar()
    bar.show({"event": "train", "step": 10, "perplexity": 12.34}, 100)
    bar.show({"event": "valid", "step": 10, "bleu": 31.25}, 100)
    bar.show({"event": "train", "step": 20, "perplexity": 11.0}, 100)
    bar.show({"event": "train", "step": 21}, 0)
    bar.end()
    assert capsys.readouterr().err.split("\r") == [
        "", " 10% |##                      | 10/100, perplexity 12.3",
        " 20% |####                    | 20/100, perplexity 11.0, validation: bleu 31.2, at most 4:00 left",
        "update 21, validation: bleu 31.2".ljust(97) + "\n"]
