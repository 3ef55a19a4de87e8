"""What a search does with tensors: as with arrays, and the choice of the largest is exact."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig, SearchConfig
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.on_device import largest
from polyhead.decoding.search import search
from polyhead.model.arrays import InArrays

Make = Callable[..., Any]
Arrays = Callable[..., tuple[NDArray[Any], NDArray[Any]]]
NEVER = float("-inf")
RULES: dict[str, Any] = {"min_length": 2, "no_repeat_ngram": 2, "max_length": 7}
SEARCHES: list[SearchConfig] = [BeamConfig(beam_size=3, n_best=2), GreedyConfig(), SamplingConfig(top_k=7, top_p=0.9)]


def expected(scores: Tensor, k: int) -> Tensor:
    return scores.sort(dim=1, descending=True, stable=True).indices[:, :k]


@given(vocabulary=st.integers(1, 900), k=st.integers(1, 20), levels=st.integers(1, 400), seed=st.integers(0, 10_000))
@settings(max_examples=150, deadline=None)
def test_equals_a_stable_sort_even_with_ties(vocabulary: int, k: int, levels: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randint(-levels, levels, (3, vocabulary), generator=generator).float()
    assert torch.equal(largest(scores, k), expected(scores, k))


@pytest.mark.parametrize("vocabulary", [5, 700])
def test_excluded_tokens_come_last(vocabulary: int) -> None:
    scores = torch.full((2, vocabulary), NEVER)
    scores[0, 3], scores[1, 1], scores[1, 4] = -2.0, -1.0, 7.0
    assert torch.equal(largest(scores, 3), expected(scores, 3))


def test_minus_zero_ties_with_zero() -> None:
    assert largest(torch.tensor([[-1.0, -0.0, 0.0, -0.0]]), 3).tolist() == [[1, 2, 3]]


def alike(left: list[Hypothesis], right: list[Hypothesis]) -> bool:
    """Two ways to add up probabilities differ in the last places."""
    pairs = list(zip(left, right, strict=True))
    return all((one.tokens, one.finished) == (other.tokens, other.finished) for one, other in pairs) and all(
        one.token_log_probabilities == pytest.approx(other.token_log_probabilities, abs=1e-5)
        and (one.log_probability, one.score) == pytest.approx((other.log_probability, other.score), abs=1e-5)
        for one, other in pairs
    )


@pytest.mark.parametrize("config", SEARCHES, ids=["beam", "greedy", "sample"])
@pytest.mark.parametrize("values", [{}, RULES], ids=["free", "ruled"])
@pytest.mark.parametrize("prefixes", [[], [(4,), (), (5, 6), (), (3,)]], ids=["fresh", "begun"])
def test_every_search_finds_the_same_where_logits_stay_in_tensors(
    table_model: Make,
    apart: Make,
    arrays: Arrays,
    config: SearchConfig,
    values: dict[str, Any],
    prefixes: Sequence[Sequence[int]],
) -> None:
    model, config = table_model(12, seed=4), config.model_copy(update=values)
    found = search(apart(model), *arrays(5), config, prefixes=prefixes)
    expected = search(InArrays(model), *arrays(5), config, prefixes=prefixes)
    assert all(alike(*pair) for pair in zip(found, expected, strict=True))


def test_a_dead_end_in_tensors_gives_what_there_is(table_model: Make, apart: Make, arrays: Arrays) -> None:
    rules: dict[str, Any] = {"min_length": 9, "no_repeat_ngram": 1}
    for config in (BeamConfig(n_best=2, **rules), GreedyConfig(**rules), SamplingConfig(top_p=0.9, **rules)):
        for hypotheses in search(apart(table_model(6, seed=5)), *arrays(3), config):
            assert not hypotheses[0].finished
            assert sorted(hypotheses[0].tokens) == [4, 5]
