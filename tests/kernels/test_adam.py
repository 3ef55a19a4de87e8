"""Chunks of weights, the sum of squares of their gradients and Adam's step, against the formulas in float64."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from polyhead.kernels.adam import CHUNK, Factors, Gradients, Weights, chunked, step, sum_of_squares

SIZES = [1, 16, 33, CHUNK + 7]
FACTORS = Factors(0.5, 0.01, 0.9, 0.1, 0.98, 0.02, 0.003, 1.7, 1e-6, 0.999)


@given(st.lists(st.integers(1, 3 * CHUNK), min_size=1, max_size=5))
def test_chunks_are_all_of_the_weights_in_turn(sizes: list[int]) -> None:
    """The second array of each is missing."""
    begins = np.cumsum([1000, *sizes[:-1]]) * 100
    places = np.stack([begins, np.zeros_like(begins)], 1).astype(np.uintp)
    found, counts = chunked(places, np.array(sizes), [4, 2])
    expected = [(begin + 4 * n, min(CHUNK, size - n)) for begin, size in zip(begins, sizes, strict=True)
                for n in range(0, size, CHUNK)]  # fmt: skip
    assert list(zip(found[:, 0].tolist(), counts.tolist(), strict=True)) == expected
    assert not found[:, 1].any()


class Case:
    """Weights, and gradients that come in three parts; the second one also has a sum so far, the third one a part."""

    def __init__(self) -> None:
        self.weights, self.means, self.squares = ([torch.rand(size) for size in SIZES] for _ in range(3))
        self.copies = [torch.full((size,), 7.0).bfloat16() for size in SIZES]
        self.parts = [[torch.randn(size).bfloat16() for size in SIZES] for _ in range(3)]
        self.total = torch.randn(SIZES[1])

    def sums(self) -> list[Tensor]:
        """The gradients in float64."""
        first, second, _, last = (torch.stack(some).double().sum(0) for some in zip(*self.parts, strict=True))
        return [first, second + self.total, self.parts[2][2].double(), last]

    def gradients(self) -> Gradients:
        columns = [[0, self.total.data_ptr(), 0, 0], *map(addresses, self.parts)]
        columns[1][2] = columns[2][2] = 0
        places, counts = chunked(np.array(columns, np.uintp).T, np.array(SIZES), [4, 2, 2, 2])
        return Gradients(counts, np.ascontiguousarray(places[:, 0]), np.ascontiguousarray(places[:, 1:]))

    def places(self) -> Weights:
        kept = np.array([*map(addresses, (self.weights, self.means, self.squares, self.copies))], np.uintp)
        places, _ = chunked(kept.T, np.array(SIZES), [4, 4, 4, 2])
        return Weights(*map(np.ascontiguousarray, places.T))


def addresses(tensors: list[Tensor]) -> list[int]:
    return [each.data_ptr() for each in tensors]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_sum_of_squares_in_shares(threads: int) -> None:
    case = Case()
    found = sum(sum_of_squares(case.gradients(), own, threads) for own in range(threads))
    assert found == pytest.approx(float(sum(each.square().sum() for each in case.sums())), rel=1e-5)


def test_a_step_in_shares() -> None:
    case = Case()
    before = [[x.double() for x in each] for each in (case.sums(), case.weights, case.means, case.squares)]
    for own in range(2):
        step(case.gradients(), case.places(), np.array(FACTORS, np.float32), own, 2)
    found = zip(case.weights, case.means, case.squares, case.copies, strict=True)
    for (weight, mean, square, copy), (g, w, m, v) in zip(found, zip(*before, strict=True), strict=True):
        g = FACTORS.scale * g + FACTORS.decay * w
        m, v = FACTORS.beta1 * m + FACTORS.rest1 * g, FACTORS.beta2 * v + FACTORS.rest2 * g * g
        w = FACTORS.shrink * w - FACTORS.rate * m / (FACTORS.root * v.sqrt() + FACTORS.epsilon)
        for actual, exact in ((weight, w), (mean, m), (square, v)):
            torch.testing.assert_close(actual.double(), exact, atol=2e-6, rtol=1e-5)
        assert torch.equal(copy, weight.bfloat16())
