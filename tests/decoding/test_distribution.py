"""The choice of the best tokens: exact, with ties to the lower token, and the same on every device."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from polyhead.decoding.distribution import Distribution, OnCpu, OnDevice, distribution, largest
from polyhead.decoding.rules import Live, Rule

Make = Callable[[Tensor], Distribution]
NEVER = float("-inf")


def on_device(logits: Tensor) -> Distribution:
    return OnDevice(logits, logits.logsumexp(-1))


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


@pytest.mark.parametrize("make", [OnCpu.of, on_device])
@pytest.mark.parametrize("rows", [0, 1, 7, 40])
def test_the_first_of_equally_probable_tokens_is_taken(make: Make, rows: int) -> None:
    logits = torch.zeros(rows, 300)
    logits[:, 5] = logits[:, 200] = 1.0
    assert make(logits).most_probable().tolist() == [5] * rows


@given(widths=st.lists(st.integers(1, 5), min_size=1, max_size=4), count=st.integers(1, 12), seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_other_devices_find_the_same_continuations(widths: list[int], count: int, seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    logits = torch.randint(-4, 0, (sum(widths), 9), generator=draw).float()
    kept = logits.masked_fill(torch.rand(logits.shape, generator=draw) < 0.2, NEVER)
    bases = torch.randint(-4, 0, (sum(widths),), generator=draw).double().numpy()
    starts = np.cumsum([0, *widths])
    one = OnDevice(logits, torch.from_numpy(OnCpu.of(logits).normalisers)).under(kept)
    other = OnCpu.of(logits).under(kept)
    expected, found = (each.best_continuations(bases, starts, count) for each in (other, one))
    possible = expected[3] > NEVER
    assert np.array_equal(found[3], expected[3])
    for left, right in zip(found[:3], expected[:3], strict=True):
        assert np.array_equal(left[possible], right[possible])


def first_thirty_are_excluded(logits: Tensor, live: Live) -> Tensor:
    logits[:, :30] = NEVER
    return logits


def on_device_under(logits: Tensor, rule: Rule, live: Live) -> Distribution:
    found = OnDevice(logits.float(), logits.float().logsumexp(-1))
    return found.under(rule(found.logits, live))


@pytest.mark.parametrize("make", [distribution, on_device_under])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_probabilities_are_the_models_own_whatever_the_rules_take_away(
    make: Callable[[Tensor, Rule, Live], Distribution], dtype: torch.dtype
) -> None:
    logits = torch.randn(70, 6, dtype=dtype).t()
    exact = logits.double().log_softmax(-1).numpy()
    live = Live(np.empty((6, 0), np.int64), np.arange(6), torch.device("cpu"))
    found = make(logits.clone(), first_thirty_are_excluded, live)
    rows, tokens = np.divmod(np.arange(6 * 40), 40)
    np.testing.assert_allclose(found.log_probabilities(rows, tokens + 30), exact[:, 30:].ravel(), atol=1e-5, rtol=1e-5)
    assert (found.log_probabilities(rows, tokens % 30) == NEVER).all()
