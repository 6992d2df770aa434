import numpy
import pytest

import nmt


@pytest.fixture(scope="module")
def model(folder):
    return nmt.Model(folder / "model.safetensors")


def test_weights_are_arrays_in_the_file(model):
    assert len(model) == len(list(model)) and "no such name" not in model
    matrices = {name: array for name, array in model.items() if array.ndim == 2}
    assert matrices and all(array.dtype == numpy.float32 for array in matrices.values())
    name, array = next(iter(matrices.items()))
    assert numpy.shares_memory(array, model[name])
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1
    with pytest.raises(KeyError):
        model["no such name"]
    assert "d_model" in model.config


def test_arrays_outlive_their_model(folder):
    arrays = dict(nmt.Model(folder / "model.safetensors"))
    assert all(numpy.isfinite(array).all() for array in arrays.values())


@pytest.mark.parametrize("precision, error", [("bf16", 2**-8), ("f16", 2**-10), ("f32", 0)])
def test_a_model_is_converted(model, tmp_path, precision, error):
    model.convert(tmp_path / "other.safetensors", precision=precision)
    other = nmt.Model(tmp_path / "other.safetensors")
    assert set(other) == set(model)
    for name, array in model.items():
        if array.dtype == numpy.float32:
            assert numpy.allclose(other[name], array, rtol=error, atol=1e-6 if error else 0)


def test_int8_has_scales(model, tmp_path):
    model.convert(tmp_path / "small.safetensors", precision="int8")
    small = nmt.Model(tmp_path / "small.safetensors")
    name = next(name for name, array in small.items() if array.dtype == numpy.int8)
    scale = next(small[each] for each in small if each.startswith(name) and each != name)
    expected = model[name]
    assert numpy.abs(small[name] * scale.reshape(-1, 1) - expected).max() <= scale.max()


def test_models_are_averaged(model, folder, tmp_path):
    nmt.average([folder / "model.safetensors"] * 3, tmp_path / "mean.safetensors")
    mean = nmt.Model(tmp_path / "mean.safetensors")
    assert all(numpy.array_equal(mean[name], array) for name, array in model.items())


def test_a_model_is_written_for_another_toolkit(model, tmp_path):
    model.export(tmp_path / "other", "ctranslate2")
    assert numpy.array_equal(nmt.Model(tmp_path / "other")["encoder.norm.weight"], model["encoder.norm.weight"])
    with pytest.raises(nmt.Error, match="other"):
        model.export(tmp_path / "other", "ctranslate2")


def test_mistakes_are_told(model, folder, tmp_path):
    with pytest.raises(nmt.UsageError, match="type of weights 'int4'"):
        model.convert(tmp_path / "none.safetensors", precision="int4")
    with pytest.raises(nmt.UsageError, match="no models"):
        nmt.average([], tmp_path / "none.safetensors")
    with pytest.raises(nmt.Error, match="test.src"):
        nmt.Model(folder / "test.src")
