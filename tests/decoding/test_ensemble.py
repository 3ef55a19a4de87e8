"""Ensembles: of one, of two by hand, in a search, and what doesn't fit together."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from polyhead.batch import collate
from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig
from polyhead.decoding.ensemble import Ensemble
from polyhead.decoding.scoring import score
from polyhead.errors import ModelError
from polyhead.model.seq2seq import Seq2Seq

Make = Callable[..., Any]
Sources = Callable[..., tuple[Tensor, Tensor]]
CONFIG = BeamConfig(beam_size=3, n_best=3, max_length_offset=4)


def test_of_one_is_the_model(table_model: Make, sources: Sources) -> None:
    model = table_model(12, seed=1)
    source, mask = sources(6)
    for left, right in zip(
        beam(Ensemble([model]), source, mask, CONFIG), beam(model, source, mask, CONFIG), strict=True
    ):
        assert [one.tokens for one in left] == [one.tokens for one in right]
        assert [one.score for one in left] == pytest.approx([one.score for one in right], abs=1e-5)


def test_of_two_by_hand(table_model: Make, tiny_gru: Make, sources: Sources) -> None:
    models: list[Seq2Seq[Any]] = [table_model(40, seed=2), tiny_gru(40, seed=2)]
    source, mask = sources(3)
    previous = torch.tensor([2, 2, 2])
    ensemble = Ensemble(models)
    state = ensemble.start(ensemble.encode(source, mask))
    found, state = ensemble.step(previous, state)
    each = [model.step(previous, model.start(model.encode(source, mask)))[0].softmax(-1) for model in models]
    assert torch.allclose(found.exp(), (each[0] + each[1]) / 2, atol=1e-6)

    rows = torch.tensor([2, 0])
    after, _ = ensemble.step(previous[rows], state.select(rows))
    assert torch.allclose(after, ensemble.step(previous, state)[0][rows], atol=1e-6)


def test_memory_selects_every_member(table_model: Make, tiny_gru: Make, sources: Sources) -> None:
    ensemble = Ensemble([table_model(40, seed=3), tiny_gru(40, seed=3)])
    source, mask = sources(4)
    rows = torch.tensor([3, 1])
    memory = ensemble.encode(source, mask).select(rows)
    expected = ensemble.encode(source[rows], mask[rows])
    found, _ = ensemble.step(rows, ensemble.start(memory))
    assert torch.equal(memory.mask, mask[rows])
    assert torch.allclose(found, ensemble.step(rows, ensemble.start(expected))[0], atol=1e-6)


def test_search_and_score_agree(tiny_gru: Make, sources: Sources) -> None:
    ensemble = Ensemble([tiny_gru(40, seed=4), tiny_gru(40, seed=5)])
    source, mask = sources(5)
    found = [hypotheses[0] for hypotheses in beam(ensemble, source, mask, CONFIG)]
    targets = collate([()] * 5, [one.tokens for one in found])
    scores = score(ensemble, source, mask, targets.target_in, targets.target_out)
    assert scores.sum(1).tolist() == pytest.approx([one.log_probability for one in found], abs=1e-4)


def test_vocabularies_must_agree(table_model: Make, sources: Sources) -> None:
    with pytest.raises(ModelError, match="theirs have 8, 9 pieces"):
        beam(Ensemble([table_model(8, seed=0), table_model(9, seed=0)]), *sources(2))


def test_needs_a_model() -> None:
    with pytest.raises(ModelError, match="at least one model"):
        Ensemble([])


def test_a_single_models_memory_is_refused(table_model: Make, sources: Sources) -> None:
    model = table_model(8, seed=0)
    with pytest.raises(TypeError, match="encode the source with the ensemble"):
        Ensemble([model]).start(model.encode(*sources(2)))
