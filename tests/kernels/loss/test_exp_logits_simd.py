"""Exponentials of logits in float32 as they leave the registers, against float64."""

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.loss.exp_logits_simd import exp_logits
from polyhead.kernels.microkernels.simd import WIDTH, LeftOperand
from polyhead.kernels.numbers.exponential import LARGEST_EXPONENT
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES

Floats = NDArray[np.float32]


@kernel
def _exponentials(x: Floats, panel: Floats, words: int, shifts: Floats, totals: Floats, out: Floats) -> None:
    left = LeftOperand(x.ctypes.data, x.strides[0], VECTOR_BYTES)
    addresses = shifts.ctypes.data, totals.ctypes.data, out.ctypes.data
    exp_logits(left, x.shape[0], panel.ctypes.data, panel.shape[0], words, *addresses)


@pytest.mark.parametrize("rows", [1, 4, 6, 11])
@pytest.mark.parametrize("words", [1, WIDTH - 3, WIDTH])
def test_of_the_words_that_there_are(rows: int, words: int) -> None:
    draw = np.random.default_rng(0)
    x, panel = draw.standard_normal((rows, 2 * WIDTH), np.float32), draw.standard_normal((2 * WIDTH, WIDTH), np.float32)
    shifts, before = draw.standard_normal(rows, np.float32), draw.random((rows, WIDTH), np.float32)
    totals, out = before.copy(), np.full((rows, WIDTH), np.nan, np.float32)
    _exponentials(x, panel, words, shifts, totals, out)
    exact = np.exp(x.astype(float) @ panel - shifts[:, None])
    exact[:, words:] = 0
    np.testing.assert_allclose(out, exact, rtol=1e-4)
    np.testing.assert_allclose(totals, before + out, rtol=1e-6)


def test_a_logit_far_above_the_shift_stays_a_number() -> None:
    x, panel = np.full((1, WIDTH), 100, np.float32), np.ones((WIDTH, WIDTH), np.float32)
    totals, out = np.zeros((2, 1, WIDTH), np.float32)
    _exponentials(x, panel, WIDTH, np.zeros(1, np.float32), totals, out)
    np.testing.assert_allclose(out, np.exp(float(LARGEST_EXPONENT)), rtol=1e-4)
