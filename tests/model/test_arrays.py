"""A model called with arrays, against the same model called with tensors."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from polyhead.batch import padded
from polyhead.config import Config
from polyhead.model.arrays import InArrays
from polyhead.model.build import MODELS, build_model
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.model.state import Memory
from polyhead.symbols import EOS, PAD, SOS
from tests.model.conftest import SMALL, VOCABULARY, config_class, roughen

SOURCE = padded([[5, 6, 7, 8, EOS], [9, 10, EOS], [11, EOS]])
MASK = SOURCE != PAD
TENSORS = torch.from_numpy(SOURCE), torch.from_numpy(MASK)
STEPS = [([SOS, SOS, SOS], [2, 0, 0, 1]), ([7, 8, 9, 9], [3, 3]), ([12, 5], [1]), ([4], []), ([], [])]
"""What is written, and the rows that are chosen after it."""


def make(kind: str) -> Seq2SeqModel[Any]:
    cls = config_class(kind)
    config: Config = cls.model_validate({name: size for name, size in SMALL.items() if name in cls.model_fields})
    model = build_model(config, VOCABULARY, VOCABULARY)
    roughen(model)
    return model.eval()


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Seq2SeqModel[Any]:
    """One of each kind."""
    return make(request.param)


@torch.inference_mode()
def in_tensors(model: Seq2SeqModel[Any]) -> tuple[Memory, list[Tensor]]:
    """The model's memory and the logits of every step."""
    memory, found = model.encode(*TENSORS), []
    state = model.start(memory)
    for tokens, chosen in STEPS:
        logits, state = model.step(torch.tensor(tokens, dtype=torch.int64), state)
        found.append(logits)
        state = state.select(torch.tensor(chosen, dtype=torch.int64))
    return memory, found


def test_each_call_gives_what_the_model_gives(model: Seq2SeqModel[Any]) -> None:
    engine, (expected_memory, expected) = InArrays(model), in_tensors(model)
    memory = engine.encode(SOURCE, MASK)
    assert torch.equal(memory.states, expected_memory.states)
    assert torch.equal(memory.mask, expected_memory.mask)
    state = engine.start(memory)
    for (tokens, chosen), right in zip(STEPS, expected, strict=True):
        logits, state = engine.step(np.array(tokens, np.int64), state)
        assert isinstance(logits, np.ndarray)
        assert logits.dtype == np.float32
        assert logits.shape == (len(tokens), VOCABULARY)
        assert np.array_equal(logits, right.numpy())
        state = state.select(np.array(chosen, np.int64))


def test_a_state_is_a_value_and_logits_are_the_callers_own(model: Seq2SeqModel[Any]) -> None:
    engine = InArrays(model)
    _, state = engine.step(np.full(3, SOS), engine.start(engine.encode(SOURCE, MASK)))
    first, after = engine.step(np.full(3, 5), state)
    kept = first.copy()
    following, _ = engine.step(np.full(3, 6), after)
    first[:] = 0
    second, _ = engine.step(np.full(3, 7), state)
    again, after = engine.step(np.full(3, 5), state.select(np.arange(3)))
    assert np.array_equal(again, kept)
    assert not np.allclose(second, kept)
    assert np.array_equal(engine.step(np.full(3, 6), after)[0], following)


def test_what_goes_in_is_left_as_it_is(model: Seq2SeqModel[Any]) -> None:
    engine, source, mask, previous = InArrays(model), SOURCE.copy(), MASK.copy(), np.full(3, SOS)
    engine.step(previous, engine.start(engine.encode(source, mask)))
    assert np.array_equal(source, SOURCE)
    assert np.array_equal(mask, MASK)
    assert (previous == SOS).all()


def test_no_gradient_is_kept(model: Seq2SeqModel[Any]) -> None:
    memory = InArrays(model).encode(SOURCE, MASK)
    assert memory.states.is_inference()


def test_a_change_to_the_model_is_seen() -> None:
    model = make("transformer")
    engine = InArrays(model)
    before, _ = engine.step(np.full(3, SOS), engine.start(engine.encode(SOURCE, MASK)))
    with torch.no_grad():
        model.output_layer.weight[:, 0] += 1
    after, _ = engine.step(np.full(3, SOS), engine.start(engine.encode(SOURCE, MASK)))
    assert not np.allclose(before, after)


def test_logits_of_half_precision_come_in_float32() -> None:
    model = make("transformer").bfloat16()
    engine = InArrays(model)
    logits, _ = engine.step(np.full(3, SOS), engine.start(engine.encode(SOURCE, MASK)))
    with torch.inference_mode():
        expected, _ = model.step(torch.full((3,), SOS), model.start(model.encode(*TENSORS)))
    assert logits.dtype == np.float32
    assert np.array_equal(logits, expected.float().numpy())


def test_on_another_device_logits_stay_there() -> None:
    device = torch.device("meta")
    engine = InArrays(make("transformer").to(device))
    logits, state = engine.step(np.full(3, SOS), engine.start(engine.encode(SOURCE, MASK)))
    logits, _ = engine.step(np.full(2, 5), state.select(np.array([2, 0])))
    assert isinstance(logits, Tensor)
    assert (logits.device, logits.dtype, logits.shape) == (device, torch.float32, (2, VOCABULARY))
