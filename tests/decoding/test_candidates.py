"""The choice of the best tokens: exact, with ties to the lower token."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.decoding.candidates import (
    Candidates,
    best_continuations,
    best_tokens,
    log_softmax,
    most_probable,
    on_grid,
)


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


@pytest.mark.parametrize("rows", [0, 1, 7, 40])
def test_the_first_of_equally_probable_tokens_is_taken(rows: int) -> None:
    scores = torch.zeros(rows, 300)
    scores[:, 5] = scores[:, 200] = 1.0
    assert most_probable(scores).tolist() == [5] * rows


@given(widths=st.lists(st.integers(1, 5), min_size=1, max_size=4), count=st.integers(1, 12), seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_other_devices_find_the_same_continuations(widths: list[int], count: int, seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    scores = torch.randint(-4, 0, (sum(widths), 9), generator=draw).float()
    scores[torch.rand(scores.shape, generator=draw) < 0.2] = float("-inf")
    bases = torch.randint(-4, 0, (sum(widths),), generator=draw).double()
    starts = torch.tensor([0, *widths]).cumsum(0)
    expected, found = best_continuations(scores, bases, starts, count), on_grid(scores, bases, starts, count)
    possible = expected[2] > float("-inf")
    assert torch.equal(found[2], expected[2])
    for one, other in zip(found[:2], expected[:2], strict=True):
        assert torch.equal(one[possible], other[possible])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_log_probabilities_of_any_logits(dtype: torch.dtype) -> None:
    logits = torch.randn(70, 6, dtype=dtype).t()
    expected = logits.double().log_softmax(-1)
    torch.testing.assert_close(log_softmax(logits).double(), expected, atol=1e-5, rtol=1e-5)
