"""Ensembles: of one, of two by hand, in a search, and what doesn't fit together."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from polyhead.batch import collate
from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig
from polyhead.decoding.ensemble import Ensemble, log_mean, log_softmax
from polyhead.decoding.scoring import score
from polyhead.errors import ModelError
from polyhead.model.arrays import InArrays

Make = Callable[..., Any]
Sources = Callable[..., tuple[Tensor, Tensor]]
Arrays = Callable[..., tuple[NDArray[Any], NDArray[Any]]]
CONFIG = BeamConfig(beam_size=3, n_best=3, max_length_offset=4)
NEVER = float("-inf")


def together(*models: Any) -> Ensemble:
    return Ensemble([InArrays(model) for model in models])


def test_of_one_is_the_model(table_model: Make, arrays: Arrays) -> None:
    model = table_model(12, seed=1)
    source, mask = arrays(6)
    for left, right in zip(
        beam(together(model), source, mask, CONFIG), beam(InArrays(model), source, mask, CONFIG), strict=True
    ):
        assert [one.tokens for one in left] == [one.tokens for one in right]
        assert [one.score for one in left] == pytest.approx([one.score for one in right], abs=1e-5)


def test_of_two_by_hand(table_model: Make, tiny_gru: Make, arrays: Arrays) -> None:
    models = table_model(40, seed=2), tiny_gru(40, seed=2)
    source, mask = arrays(3)
    previous = np.array([2, 2, 2])
    ensemble = together(*models)
    state = ensemble.start(ensemble.encode(source, mask))
    found, state = ensemble.step(previous, state)
    each = [by_hand(model, source, mask, previous).softmax(-1) for model in models]
    np.testing.assert_allclose(np.exp(found), (each[0] + each[1]) / 2, atol=1e-6)

    rows = np.array([2, 0])
    after, _ = ensemble.step(previous[rows], state.select(rows))
    np.testing.assert_allclose(after, ensemble.step(previous, state)[0][rows], atol=1e-6)


@torch.inference_mode()
def by_hand(model: Any, *given: NDArray[Any]) -> Tensor:
    """source, its mask, the first step's previous tokens → logits."""
    source, mask, previous = (torch.from_numpy(each) for each in given)
    return model.step(previous, model.start(model.encode(source, mask)))[0]


def test_the_state_selects_every_members(table_model: Make, tiny_gru: Make, arrays: Arrays) -> None:
    ensemble = together(table_model(40, seed=3), tiny_gru(40, seed=3))
    source, mask = arrays(4)
    rows = np.array([3, 1])
    state = ensemble.start(ensemble.encode(source, mask)).select(rows)
    expected = ensemble.start(ensemble.encode(source[rows], mask[rows]))
    found, _ = ensemble.step(rows, state)
    np.testing.assert_allclose(found, ensemble.step(rows, expected)[0], atol=1e-6)


def test_what_is_impossible_for_one_model_may_be_written(table_model: Make, arrays: Arrays) -> None:
    one, other = table_model(12, seed=4), table_model(12, seed=5)
    one.table[:, 6], other.table[:, 7] = NEVER, NEVER
    one.table[:, 8], other.table[:, 8] = NEVER, NEVER
    found = beam(together(one, other), *arrays(20), CONFIG)
    written = {token for hypotheses in found for hypothesis in hypotheses for token in hypothesis.tokens}
    assert {6, 7} <= written
    assert 8 not in written


def test_members_may_leave_their_logits_on_a_device(
    table_model: Make, tiny_gru: Make, apart: Make, arrays: Arrays
) -> None:
    models = table_model(40, seed=2), tiny_gru(40, seed=2)
    mixed = Ensemble([apart(models[0]), InArrays(models[1])])
    assert beam(mixed, *arrays(4), CONFIG) == beam(together(*models), *arrays(4), CONFIG)


def test_search_and_score_agree(tiny_gru: Make, sources: Sources) -> None:
    models = tiny_gru(40, seed=4), tiny_gru(40, seed=5)
    source, mask = sources(5)
    found = [hypotheses[0] for hypotheses in beam(together(*models), source.numpy(), mask.numpy(), CONFIG)]
    targets = collate([()] * 5, [one.tokens for one in found])
    scores = log_mean([score(model, replace(targets, source=source)).numpy() for model in models])
    assert scores.sum(1).tolist() == pytest.approx([one.log_probability for one in found], abs=1e-4)


@st.composite
def logits_of_several(draw: st.DrawFn) -> list[NDArray[np.float32]]:
    """Of 1 … 4 models, each [5, 30]; tokens are impossible for one of them or for all, but never all tokens."""
    count, spread = draw(st.integers(1, 4)), draw(st.sampled_from([0.1, 3.0, 60.0]))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    everywhere = random.random((5, 30)) < 0.2
    found: list[NDArray[np.float32]] = []
    for _ in range(count):
        logits = (random.normal(size=(5, 30)) * spread + random.normal() * 100).astype(np.float32)
        excluded = everywhere | (random.random((5, 30)) < 0.3)
        excluded[:, 3] = False
        logits[excluded] = NEVER
        found.append(logits)
    return found


@given(logits=logits_of_several())
@settings(max_examples=100)
def test_the_mean_is_pytorchs_in_double_precision(logits: list[NDArray[np.float32]]) -> None:
    exact = [torch.from_numpy(each).double().log_softmax(-1) for each in logits]
    before = [each.copy() for each in logits]
    found = [log_softmax(each) for each in logits]
    for mine, theirs in zip(found, exact, strict=True):
        np.testing.assert_allclose(mine, theirs.numpy(), rtol=2e-6, atol=2e-6)
    mean = log_mean(found)
    expected = torch.stack(exact).exp().mean(0).log()
    close = expected > -600  # what is less is 0 in probability, and may be so in double precision too
    np.testing.assert_allclose(mean[close], expected[close].numpy(), rtol=2e-6, atol=2e-6)
    assert ((mean == NEVER) == np.all([each == NEVER for each in logits], axis=0)).all()
    assert all(each.dtype == np.float32 for each in (*found, mean))
    assert all(np.array_equal(each, other) for each, other in zip(logits, before, strict=True))


def test_a_token_for_one_of_two_and_for_none() -> None:
    one, other = np.log(np.array([[0.5, 0.5, 1.0]], np.float32)), np.zeros((1, 3), np.float32)
    one[0, 2], other[0, 1:] = NEVER, NEVER
    with np.errstate(divide="raise", invalid="raise"):
        found = log_mean([log_softmax(one), log_softmax(other)])
    np.testing.assert_allclose(found, [[np.log(0.75), np.log(0.25), NEVER]], rtol=1e-6)


def test_vocabularies_must_agree(table_model: Make, arrays: Arrays) -> None:
    with pytest.raises(ModelError, match="theirs have 8, 9 pieces"):
        beam(together(table_model(8, seed=0), table_model(9, seed=0)), *arrays(2))


def test_needs_a_model() -> None:
    with pytest.raises(ModelError, match="at least one model"):
        Ensemble([])


def test_a_single_models_memory_is_refused(table_model: Make, arrays: Arrays) -> None:
    model = InArrays(table_model(8, seed=0))
    with pytest.raises(TypeError, match="encode the source with the ensemble"):
        Ensemble([model]).start(model.encode(*arrays(2)))
