"""What may come next: the choice is exact, with ties to the lower token, and the same on every device."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.decoding.distribution import Distribution, OnCpu, distribution
from polyhead.decoding.on_device import OnDevice
from polyhead.decoding.rules import Live
from polyhead.decoding.searchable import Logits, Values

Make = Callable[[Values], Logits]
NEVER = float("-inf")
either = pytest.mark.parametrize("make", [np.asarray, torch.from_numpy], ids=["array", "tensor"])


def under(logits: Logits, rule: Callable[[Logits, Live], None] = lambda logits, live: None) -> Distribution:
    return distribution(logits, rule, Live(np.empty((len(logits), 0), np.int64), np.arange(len(logits))))


@either
@pytest.mark.parametrize("rows", [0, 1, 7, 40])
def test_the_first_of_equally_probable_tokens_is_taken(make: Make, rows: int) -> None:
    logits = np.zeros((rows, 300), np.float32)
    logits[:, 5] = logits[:, 200] = 1.0
    assert under(make(logits)).most_probable().tolist() == [5] * rows


@either
def test_the_most_probable_token_is_one_that_the_rules_allow(make: Make) -> None:
    def no_peak(logits: Logits, live: Live) -> None:
        logits[:, 5] = NEVER

    logits = np.zeros((2, 300), np.float32)
    logits[:, 5], logits[0, 7], logits[1, 270] = 3.0, 1.0, 1.0
    assert under(make(logits), no_peak).most_probable().tolist() == [7, 270]


def test_arrays_are_for_the_kernels_and_tensors_stay_where_they_are() -> None:
    logits = np.zeros((2, 9), np.float32)
    assert isinstance(under(logits), OnCpu)
    assert isinstance(under(torch.from_numpy(logits)), OnDevice)


@given(widths=st.lists(st.integers(1, 5), min_size=1, max_size=4), count=st.integers(1, 12), seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_other_devices_find_the_same_continuations(widths: list[int], count: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    logits = draw.integers(-4, 0, (sum(widths), 9)).astype(np.float32)
    excluded = draw.random(logits.shape) < 0.2
    bases = draw.integers(-4, 0, sum(widths)).astype(np.float64)
    starts = np.cumsum([0, *widths])
    other = OnCpu.of(logits)
    one = OnDevice(torch.from_numpy(logits.copy()), torch.from_numpy(other.normalisers))
    for each in (one, other):
        each.logits[excluded] = NEVER
    expected, found = (each.best_continuations(bases, starts, count) for each in (other, one))
    possible = expected[3] > NEVER
    assert np.array_equal(found[3], expected[3])
    for left, right in zip(found[:3], expected[:3], strict=True):
        assert np.array_equal(left[possible], right[possible])
    for mine, theirs in zip(found, expected, strict=True):
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)


def first_thirty_are_excluded(logits: Logits, live: Live) -> None:
    logits[:, :30] = NEVER


@either
@pytest.mark.parametrize("order", ["C", "F"])
def test_probabilities_are_the_models_own_whatever_the_rules_take_away(make: Make, order: Any) -> None:
    logits = np.random.default_rng(0).normal(size=(6, 70)).astype(np.float32, order=order)
    exact = torch.from_numpy(logits).double().log_softmax(-1).numpy()
    found = under(make(logits), first_thirty_are_excluded)
    rows, tokens = np.divmod(np.arange(6 * 40), 40)
    np.testing.assert_allclose(found.log_probabilities(rows, tokens + 30), exact[:, 30:].ravel(), atol=1e-5, rtol=1e-5)
    assert (found.log_probabilities(rows, tokens % 30) == NEVER).all()
