import pytest

import nmt


@pytest.fixture(scope="module")
def vocabulary(folder):
    return nmt.Vocabulary(folder / "words.spm")


def test_text_goes_to_ids_and_back(vocabulary, lines):
    for line in lines[:10]:
        ids = vocabulary.encode(line)
        assert vocabulary.decode(ids) == line
        assert [vocabulary[id] for id in ids] == vocabulary.pieces(line)
        assert [vocabulary.find(piece) for piece in vocabulary.pieces(line)] == ids


def test_is_trained(folder, lines, tmp_path):
    vocabulary = nmt.Vocabulary.train(folder / "test.src", tmp_path / "own.spm", size=40, type="bpe")
    assert len(vocabulary) == 40 and vocabulary.decode(vocabulary.encode(lines[0])) == lines[0]
    with pytest.raises(nmt.Error, match="size"):
        nmt.Vocabulary.train([folder / "test.src"], tmp_path / "none.spm", size=3)


def test_special_tokens_have_ids(vocabulary):
    assert {vocabulary.unknown, vocabulary.begin, vocabulary.end} == {0, 1, 2}
    assert vocabulary.find("no such piece") is None


def test_ids_out_of_range_are_refused(vocabulary):
    for id in (-1, len(vocabulary)):
        with pytest.raises(nmt.UsageError, match="the vocabulary has"):
            vocabulary[id]


def test_a_file_is_written_as_it_was(vocabulary, folder, tmp_path):
    vocabulary.save(tmp_path / "copy.spm")
    assert (tmp_path / "copy.spm").read_bytes() == (folder / "words.spm").read_bytes()
