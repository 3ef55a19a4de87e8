"""Preparing a loaded model: what stays in its file, what leaves memory, and what nobody may notice of it."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import nn

from polyhead.bundle.load import load_bundle
from polyhead.decoding.searchable import Searchable
from polyhead.engine import kernel_engine
from polyhead.engine.choice import PLAIN, Choice
from polyhead.engine.prepare import PACKS, prepare
from polyhead.memory.weights_file import FilePages
from polyhead.model.config import RNNConfig, TransformerConfig
from tests.small import write_small

SHAPE = TransformerConfig(encoder_layers=2, decoder_layers=2, d_model=128, d_ff=256, num_heads=4, max_length=40)
SOURCE = np.array([[5, 6, 7, 8, 2], [9, 10, 11, 12, 2]])
of_bytes = pytest.mark.skipif(not kernel_engine.has_int8_products(), reason="this CPU has no AVX2 or no FMA")
FORMATS = [pytest.param(name, marks=of_bytes) if name == "int8" else name for name in PACKS]
EXACT = Choice("prepared", "float32")
linux = pytest.mark.skipif(sys.platform != "linux", reason="pages of files are given back on Linux alone")


@pytest.fixture(params=["all", "none"])
def directory(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A model directory whose embeddings are tied, or not."""
    return write_small(tmp_path / "model", SHAPE.model_copy(update={"tie_embeddings": request.param}))


def resident(directory: Path) -> int:
    """KiB of a directory's weights in this process's memory."""
    listed = re.split(r"^(?=[0-9a-f]+-)", Path("/proc/self/smaps").read_text(), flags=re.MULTILINE)
    areas = (area for area in listed if str(directory) in area)
    return sum(int(size) for area in areas for size in re.findall(r"^Rss: +(\d+) kB", area, flags=re.MULTILINE))


def in_memory(model: nn.Module) -> nn.Module:
    for parameter in model.parameters():
        parameter.data = parameter.data.clone()
    return model


def logits(model: Searchable) -> NDArray[np.float32]:
    """Of a few steps."""
    state = model.start(model.encode(SOURCE, np.ones_like(SOURCE, dtype=bool)))
    rows = []
    for token in (2, 7, 9):
        step, state = model.step(np.full(2, token), state)
        rows.append(step)
    return np.stack(rows)


def pages_of(model: nn.Module) -> FilePages:
    return FilePages.of(weight.data_ptr() for weight in model.parameters())


@pytest.mark.parametrize("dtype", FORMATS)
def test_weights_in_a_file_are_packed_as_those_in_memory(directory, dtype) -> None:
    choice = Choice("prepared", dtype)
    expected = logits(prepare(in_memory(load_bundle(directory).model), choice))
    assert np.array_equal(logits(prepare(load_bundle(directory).model, choice)), expected)


@pytest.mark.parametrize("dtype", FORMATS)
def test_kernels_need_no_modules(directory, dtype) -> None:
    choice, bundle = Choice("prepared", dtype), load_bundle(directory)
    found = logits(prepare(bundle.trained, choice))
    assert np.array_equal(found, logits(prepare(bundle.model, choice)))


@linux
@pytest.mark.parametrize("dtype", FORMATS)
def test_what_is_packed_of_arrays_leaves_memory_and_can_be_looked_at(directory, dtype) -> None:
    arrays = load_bundle(directory).trained
    engine = prepare(arrays, Choice("prepared", dtype))
    logits(engine)
    assert resident(directory) == 0
    weights = load_file(directory / "model.safetensors")
    assert all(np.array_equal(array, weights[name].numpy()) for name, array in arrays.arrays.items())


def test_what_only_modules_can_do_asks_for_them(directory) -> None:
    bundle = load_bundle(directory)
    with pytest.raises(TypeError, match="modules"):
        prepare(bundle.trained, PLAIN)
    assert np.isfinite(logits(prepare(bundle.model, PLAIN))).all()


@linux
@pytest.mark.parametrize("dtype", FORMATS)
def test_what_is_packed_leaves_memory_and_can_be_looked_at(directory, dtype) -> None:
    model = load_bundle(directory).model
    engine = prepare(model, Choice("prepared", dtype))
    assert resident(directory) == 0
    logits(engine)
    assert resident(directory) == 0
    weights = load_file(directory / "model.safetensors")
    assert all(torch.equal(parameter, weights[name]) for name, parameter in model.named_parameters())


@pytest.mark.parametrize("choice", [PLAIN, EXACT], ids=str)
def test_a_search_goes_on_when_the_file_is_overwritten(directory, choice) -> None:
    engine = prepare(load_bundle(directory).model, choice)
    expected = logits(engine)
    path = directory / "model.safetensors"
    path.write_bytes(bytes(path.stat().st_size))
    assert np.array_equal(logits(engine), expected)


def test_other_models_leave_their_file(tmp_path) -> None:
    shape = RNNConfig(d_model=32, hidden_size=32)
    model = load_bundle(write_small(tmp_path / "model", shape)).model
    assert prepare(model, PLAIN).model is model
    assert pages_of(model) == FilePages(())


@pytest.mark.parametrize("choice", [PLAIN, EXACT], ids=str)
def test_what_was_changed_before_stays_changed(directory, choice) -> None:
    model = load_bundle(directory).model
    bias = model.get_parameter("encoder.layers.0.feed_forward.inner.bias")
    with torch.no_grad():
        bias.add_(1.0)
    expected = bias.clone()
    before = logits(prepare(load_bundle(directory).model, choice))
    assert not np.array_equal(logits(prepare(model, choice)), before)
    assert torch.equal(bias, expected)


def test_a_model_in_memory_is_left_as_it_is(directory) -> None:
    model = in_memory(load_bundle(directory).model)
    before = [parameter.data_ptr() for parameter in model.parameters()]
    prepare(model, EXACT)
    assert [parameter.data_ptr() for parameter in model.parameters()] == before
