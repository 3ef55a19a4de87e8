"""Numbers to levels of one digit or two, and sums of products of levels to numbers, against NumPy in float64."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.linear.quantise import dequantise_sums, quantise_to_digits
from polyhead.kernels.llvm import LANES
from polyhead.kernels.microkernels.registers import MAX_LEVEL, PANEL

Floats = NDArray[np.float32]
_to_one, _to_two = map(quantise_to_digits, (1, 2))
_of_one, _of_two = map(dequantise_sums, (1, 2))
SIZE = 3 * LANES


@kernel
def _quantise(x: Floats, low: float, step: float, one: Any, two: Any) -> None:
    """two: a row for each digit, `step` the level's distance of one digit."""
    _to_one(x.ctypes.data, x.shape[0] // LANES, low, step, one.ctypes.data, one.shape[0])
    _to_two(x.ctypes.data, x.shape[0] // LANES, low, step * (MAX_LEVEL + 2), two.ctypes.data, two.strides[0])


@kernel
def _dequantise(digits: int, sums: Any, of_rows: Floats, of_columns: Floats, least: float, y: Floats) -> None:
    """of_rows: scales and zeros; of_columns: scales, totals and a bias."""
    scales, zeros = of_rows[0].ctypes.data, of_rows[1].ctypes.data
    scale, total, bias = of_columns[0].ctypes.data, of_columns[1].ctypes.data, of_columns[2].ctypes.data
    given, out, stride, rows = sums.ctypes.data, y.ctypes.data, y.strides[0], y.shape[0]
    if digits == 1:
        _of_one(given, rows, scales, zeros, scale, total, bias, least, out, stride)
    else:
        _of_two(given, rows, scales, zeros, scale, total, bias, least, out, stride)


def test_levels_are_the_nearest() -> None:
    """Of two digits as fine as their number allows: (MAX_LEVEL + 1)² - 1 is MAX_LEVEL · (MAX_LEVEL + 2)."""
    x = np.random.default_rng(0).uniform(-3, 5, SIZE).astype(np.float32)
    low, distance = float(x.min()), float(np.ptp(x)) / MAX_LEVEL
    one, two = np.full(SIZE, 99, np.uint8), np.full((2, SIZE + 4), 99, np.uint8)
    _quantise(x, low, 1 / distance, one, two[:, :SIZE])
    assert (np.abs(low + distance * one - x) <= 0.501 * distance).all()
    assert (one.min(), one.max()) == (0, MAX_LEVEL)
    high, lower = two[:, :SIZE].astype(int)
    fine = distance / (MAX_LEVEL + 2)
    assert (np.abs(low + fine * ((MAX_LEVEL + 1) * high + lower) - x) <= 0.51 * fine).all()
    assert two[:, :SIZE].max() == MAX_LEVEL
    assert (two[:, SIZE:] == 99).all()


@pytest.mark.parametrize("digits", [1, 2])
@pytest.mark.parametrize("least", [0.0, -np.inf])
def test_sums_become_numbers(digits: int, least: float) -> None:
    draw, rows = np.random.default_rng(digits), 5
    sums = draw.integers(-(2**20), 2**20, (rows, digits, PANEL)).astype(np.int32)
    of_rows, of_columns = (draw.normal(size=size).astype(np.float32) for size in ((2, rows), (3, PANEL)))
    y = np.full((rows, PANEL + 3), 7, np.float32)
    _dequantise(digits, sums, of_rows, of_columns, least, y[:, :PANEL])
    places = float(MAX_LEVEL + 1) ** np.arange(digits)[::-1]
    (scales, zeros), (scale, total, bias) = of_rows.astype(float), of_columns.astype(float)
    exact = (sums * places[:, None]).sum(1) * scales[:, None] * scale + zeros[:, None] * total + bias
    np.testing.assert_allclose(y[:, :PANEL], np.maximum(exact, least), rtol=1e-6, atol=1e-6 * np.abs(exact).max())
    assert (y[:, PANEL:] == 7).all()
