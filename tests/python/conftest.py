import os
from pathlib import Path

import pytest

import nmt


@pytest.fixture(scope="session")
def folder():
    """A folder with model.safetensors, words.spm and test.src, which NMT_TEST_FOLDER names."""
    return Path(os.environ["NMT_TEST_FOLDER"])


@pytest.fixture(scope="session")
def translator(folder):
    return nmt.Translator(folder / "model.safetensors", device="cpu", threads=2)


@pytest.fixture(scope="session")
def lines(folder):
    return (folder / "test.src").read_text().splitlines()
