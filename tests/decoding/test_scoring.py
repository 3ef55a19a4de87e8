"""Scores of given translations equal what the searches report."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from polyhead.batch import collate
from polyhead.decoding.greedy import greedy
from polyhead.decoding.scoring import score

Make = Callable[..., Any]
Sources = Callable[..., tuple[Tensor, Tensor]]


def test_equals_the_stepwise_sum(tiny_gru: Make, sources: Sources) -> None:
    model = tiny_gru(40, seed=1)
    source, mask = sources(8)
    found = greedy(model, source, mask)
    targets = collate([()] * 8, [one.tokens for one in found])
    scores = score(model, source, mask, targets.target_in, targets.target_out)
    for row, one in enumerate(found):
        length = len(one.tokens) + 1
        assert scores[row, :length].tolist() == pytest.approx(one.token_log_probabilities, abs=1e-4)
        assert scores[row, length:].eq(0).all()
    assert scores.shape == targets.target_out.shape


def test_no_sentences(tiny_gru: Make) -> None:
    nothing = torch.empty(0, 0, dtype=torch.int64)
    assert score(tiny_gru(8, seed=0), nothing, nothing.bool(), nothing, nothing).shape == (0, 0)
