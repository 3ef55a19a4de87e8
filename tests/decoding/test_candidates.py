"""The choice of the best tokens: exact, with ties to the lower token."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.decoding.candidates import Candidates, best_tokens


def expected(scores: torch.Tensor, k: int) -> torch.Tensor:
    return scores.sort(dim=1, descending=True, stable=True).indices[:, :k]


@given(vocabulary=st.integers(1, 900), k=st.integers(1, 20), levels=st.integers(1, 400), seed=st.integers(0, 10_000))
@settings(max_examples=150, deadline=None)
def test_equals_a_stable_sort_even_with_ties(vocabulary: int, k: int, levels: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randint(-levels, levels, (3, vocabulary), generator=generator).float()
    values, tokens = best_tokens(scores, k)
    assert torch.equal(tokens, expected(scores, k))
    assert torch.equal(values, scores.gather(1, tokens))


@pytest.mark.parametrize("vocabulary", [5, 700])
def test_excluded_tokens_come_last(vocabulary: int) -> None:
    scores = torch.full((2, vocabulary), float("-inf"))
    scores[0, 3], scores[1, 1], scores[1, 4] = -2.0, -1.0, 7.0
    values, tokens = best_tokens(scores, 3)
    assert torch.equal(tokens, expected(scores, 3))
    assert values[0].tolist() == [-2.0, float("-inf"), float("-inf")]


def test_minus_zero_ties_with_zero() -> None:
    assert best_tokens(torch.tensor([[-1.0, -0.0, 0.0, -0.0]]), 3)[1].tolist() == [[1, 2, 3]]


def test_where_flattens_in_order() -> None:
    grid = torch.arange(6).view(2, 3)
    picked = Candidates(grid, grid + 1, grid + 2, grid.float(), grid.double()).where(grid % 2 == 1)
    assert picked.sentences.tolist() == [1, 3, 5]
    assert picked.tokens.tolist() == [3, 5, 7]
    assert picked.totals.tolist() == [1.0, 3.0, 5.0]
