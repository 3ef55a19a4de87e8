"""The prepared Transformer against the trained one: the same logits, however a search moves its rows."""

import random

import numpy as np
import pytest
import torch
from torch import Tensor

from polyhead.batch import pad
from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig
from polyhead.decoding.search import search
from polyhead.engine import fused
from polyhead.engine.choice import Choice
from polyhead.engine.in_arrays import PreparedInArrays
from polyhead.engine.prepare import prepare as prepare_in_arrays
from polyhead.engine.projection import INPUT_LEVELS, LEVELS
from polyhead.engine.transformer import PreparedTransformer
from polyhead.model.seq2seq import Seq2Seq
from polyhead.model.transformer import Transformer
from polyhead.symbols import EOS, PAD, SOS
from tests.marks import bfloat16

SOURCE = pad([[5, 6, 7, 8, 9, EOS], [10, EOS], [11, 12, 5, EOS], [*range(4, 22), EOS]])
MASK = SOURCE != PAD
EXACT = Choice("prepared", "float32")
INT8 = 0.05 if INPUT_LEVELS == LEVELS else 0.07
"""How far its logits may be: without VNNI an input has a bit less."""


@pytest.fixture(autouse=True)
def no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine here is for CPUs and models that have none."""
    monkeypatch.setattr(fused, "cpu_features", set[str])


def prepare(model: Transformer, choice: Choice) -> PreparedTransformer:
    """The engine itself, of tensors."""
    found = prepare_in_arrays(model, choice)
    assert isinstance(found, PreparedInArrays)
    return found.prepared


def close(left: Tensor, right: Tensor) -> None:
    torch.testing.assert_close(left, right, atol=3e-5, rtol=1e-4)


def begin(model: Seq2Seq):
    return model.start(model.encode(SOURCE, MASK))


def test_the_memory_is_the_encoders(model: Transformer) -> None:
    expected = model.encode(SOURCE, MASK).states
    close(prepare(model, EXACT).encode(SOURCE, MASK).states, expected * MASK[:, :, None])


def test_steps_equal_teacher_forcing(model: Transformer) -> None:
    target = torch.randint(4, 23, (4, 40))
    prepared, steps = prepare(model, EXACT), []
    state = begin(prepared)
    for t in range(40):
        logits, state = prepared.step(target[:, t], state)
        steps.append(logits)
    close(torch.stack(steps, 1), model(SOURCE, MASK, target))


@pytest.mark.parametrize("seed", range(6))
def test_rows_may_be_repeated_dropped_and_moved_at_will(varied: Transformer, seed: int) -> None:
    draw = random.Random(seed)
    prepared = prepare(varied, EXACT)
    plain_state, state = begin(varied), begin(prepared)
    count = 4
    for _ in range(45):
        tokens = torch.tensor([draw.randrange(4, 23) for _ in range(count)])
        expected, plain_state = varied.step(tokens, plain_state)
        logits, state = prepared.step(tokens, state)
        close(logits, expected)
        if draw.random() < 0.7:
            rows = torch.tensor([draw.randrange(count) for _ in range(draw.choice([3, 6, 9]))])
            plain_state, state, count = plain_state.select(rows), state.select(rows), len(rows)


def test_room_runs_out_and_sentences_leave(varied: Transformer) -> None:
    prepared = prepare(varied, EXACT)
    plain_state, state = begin(varied), begin(prepared)
    for step in range(70):
        tokens = torch.full((state.places.sentences.numel(),), 4 + step % 19)
        expected, plain_state = varied.step(tokens, plain_state)
        logits, state = prepared.step(tokens, state)
        close(logits, expected)
        if step in (0, 10, 20):
            rows = torch.arange(len(tokens)).repeat_interleave(2) if step == 0 else torch.arange(len(tokens) - 2)
            plain_state, state = plain_state.select(rows), state.select(rows)
    assert state.places.shape[0] < 4, "the places of sentences that have left are given up"


def test_a_beam_sweeps_out_what_nobody_descends_from(varied: Transformer) -> None:
    prepared = prepare(varied, EXACT)
    state = begin(prepared).select(torch.arange(4).repeat_interleave(5))
    for _ in range(60):
        state = prepared.step(torch.full((20,), 7), state)[1].select(torch.arange(0, 20, 5).repeat_interleave(5))
    assert state.past.ancestry.size(3) <= 160, "of 300 columns written 60 have descendants"


def test_a_state_is_a_value(varied: Transformer) -> None:
    prepared = prepare(varied, EXACT)
    _, state = prepared.step(torch.full((4,), SOS), begin(prepared))
    first, after_first = prepared.step(torch.full((4,), 5), state)
    second, after_second = prepared.step(torch.full((4,), 6), state)
    again, _ = prepared.step(torch.full((4,), 5), state.select(torch.arange(4)))
    assert torch.equal(first, again)
    assert not torch.allclose(first, second)
    close(prepared.step(torch.full((4,), 8), after_first)[0], follow(varied, 5, 8))
    close(prepared.step(torch.full((4,), 8), after_second)[0], follow(varied, 6, 8))


def follow(model: Transformer, *tokens: int) -> Tensor:
    return model(SOURCE, MASK, torch.tensor([[SOS, *tokens]] * 4))[:, -1]


@pytest.mark.parametrize(
    "config", [GreedyConfig(max_length=30), BeamConfig(beam_size=5, n_best=3, max_length=30), SamplingConfig(seed=2)]
)
def test_searches_find_the_same(varied: Transformer, config: GreedyConfig | BeamConfig | SamplingConfig) -> None:
    expected = search(varied, SOURCE, MASK, config)
    for ours, theirs in zip(search(prepare(varied, EXACT), SOURCE, MASK, config), expected, strict=True):
        assert [one.tokens for one in ours] == [one.tokens for one in theirs]
        assert [one.score for one in ours] == pytest.approx([one.score for one in theirs], abs=1e-4)


def test_companions_change_nothing(varied: Transformer) -> None:
    prepared, config = prepare(varied, EXACT), BeamConfig(beam_size=4, max_length=20)
    together = beam(prepared, SOURCE, MASK, config)
    for row in range(4):
        length = int(MASK[row].sum())
        alone = beam(prepared, SOURCE[row : row + 1, :length], MASK[row : row + 1, :length], config)
        assert alone[0][0].tokens == together[row][0].tokens


def test_a_fully_masked_row_is_no_nan_and_harms_no_other(varied: Transformer) -> None:
    mask = MASK.clone()
    mask[1] = False
    prepared = prepare(varied, EXACT)
    logits, _ = prepared.step(torch.full((4,), SOS), prepared.start(prepared.encode(SOURCE, mask)))
    assert logits.isfinite().all()
    expected, _ = varied.step(torch.full((4,), SOS), varied.start(varied.encode(SOURCE, mask)))
    close(logits, expected)
    nothing = torch.zeros_like(MASK)
    alone = prepared.step(torch.full((4,), SOS), prepared.start(prepared.encode(SOURCE, nothing)))[0]
    assert alone.isfinite().all()


@pytest.mark.parametrize(("dtype", "error"), [pytest.param("bfloat16", 0.03, marks=bfloat16), ("int8", INT8)])
def test_fewer_bits_stay_near(varied: Transformer, dtype: str, error: float) -> None:
    prepared = prepare(varied, Choice("prepared", dtype))
    expected = follow(varied, 5).detach()
    _, state = prepared.step(torch.full((4,), SOS), begin(prepared))
    logits, _ = prepared.step(torch.full((4,), 5), state)
    assert 0 < float((logits - expected).norm() / expected.norm()) < error


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_features_and_some_rows_of_the_output_layer_give_those_logits(model: Transformer, dtype: str) -> None:
    engine = prepare_in_arrays(model, Choice("prepared", dtype))
    tokens, some = np.array([SOS, 5, 6, 7]), np.array([3, 0, 22, 9])
    source = SOURCE.numpy(), MASK.numpy()
    logits, _ = engine.step(tokens, engine.start(engine.encode(*source)))
    features, after = engine.features(tokens, engine.start(engine.encode(*source)))
    assert after.inner.length == 1
    tolerance = 3e-5 if dtype == "float32" else 0.1
    np.testing.assert_allclose(engine.output_rows(some)(features), logits[:, some], atol=tolerance, rtol=0.02)
