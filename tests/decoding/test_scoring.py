"""Scores of given translations equal what the searches report."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from polyhead.batch import Batch, collate
from polyhead.decoding.ensemble import Ensemble, log_mean
from polyhead.decoding.greedy import greedy
from polyhead.decoding.scoring import score
from polyhead.model.arrays import InArrays

Make = Callable[..., Any]
Sources = Callable[..., tuple[Tensor, Tensor]]


def test_equals_the_stepwise_sum(tiny_gru: Make, sources: Sources) -> None:
    model = tiny_gru(40, seed=1)
    source, mask = sources(8)
    found = greedy(model, source, mask)
    targets = collate([()] * 8, [one.tokens for one in found])
    scores = score(model, replace(targets, source=source))
    for row, one in enumerate(found):
        length = len(one.tokens) + 1
        assert scores[row, :length].tolist() == pytest.approx(one.token_log_probabilities, abs=1e-4)
        assert scores[row, length:].eq(0).all()
    assert scores.shape == targets.target_out.shape


def test_no_sentences(tiny_gru: Make) -> None:
    nothing = torch.empty(0, 0, dtype=torch.int64)
    assert score(tiny_gru(8, seed=0), Batch(nothing, nothing, nothing)).shape == (0, 0)


@pytest.mark.parametrize("kinds", ["t", "g", "gg", "tg", "ttt"], ids="of {}".format)
@torch.inference_mode()
def test_the_mean_of_models_is_the_ensembles_step_by_step(
    table_model: Make, tiny_gru: Make, sources: Sources, kinds: str
) -> None:
    models = [(table_model if kind == "t" else tiny_gru)(40, seed=seed) for seed, kind in enumerate(kinds)]
    for model, own in zip(models, (8, 9, 10), strict=False):
        if isinstance(model, table_model):
            model.table[:, [7, own]] = float("-inf")  # 7 for all of them
    source, mask = sources(4)
    target_in = torch.randint(1, 40, (4, 5), generator=torch.Generator().manual_seed(6))
    target_out = torch.randint(1, 40, (4, 5), generator=torch.Generator().manual_seed(7))
    target_out[0] = 7
    found = log_mean([score(model, Batch(source, target_in, target_out)).numpy() for model in models])
    mean = torch.stack([model(source, mask, target_in).double().softmax(-1) for model in models]).mean(0)
    np.testing.assert_allclose(np.exp(found), mean.gather(2, target_out[:, :, None])[:, :, 0].numpy(), atol=1e-6)

    ensemble = Ensemble([InArrays(model) for model in models])
    state = ensemble.start(ensemble.encode(source.numpy(), mask.numpy()))
    for position, previous in enumerate(target_in.numpy().T):
        step, state = ensemble.step(np.ascontiguousarray(previous), state)
        given = np.take_along_axis(step, target_out[:, position, None].numpy(), 1)[:, 0]
        np.testing.assert_allclose(given, found[:, position], atol=1e-5, rtol=1e-5)
        assert (step[:, 7] == float("-inf")).all() == ("g" not in kinds)
