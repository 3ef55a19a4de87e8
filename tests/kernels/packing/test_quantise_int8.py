"""The inner loops that round to 8-bit integers, each against NumPy."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from polyhead.hardware import cpu_features
from polyhead.kernels.arrays.tensors import as_array
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.int8 import FOUR, ZERO_POINT
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.numbers.formats import Numbers
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES
from polyhead.kernels.packing.quantise_int8 import (
    ROWS_AT_ONCE,
    column_maxima_and_sums_of_four,
    column_maxima_and_sums_of_one,
    column_maxima_of_four,
    column_maxima_of_one,
    quantise_columns,
    quantise_columns_signed,
    quantise_row,
    quantise_row_signed,
    row_maximum,
)

pytestmark = pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU multiplies no bytes in vectors")

Bytes, Floats = NDArray[np.int8], NDArray[np.float32]
COLUMNS = 2 * PANEL
ROWS = 2 * FOUR
formats = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)


@kernel
def _row_maximum(x: Numbers) -> float:
    return row_maximum(x, x.ctypes.data, x.shape[1] // PANEL)


@kernel
def _quantise_row(x: Numbers, factor: float, unsigned: Bytes, signed: Bytes) -> None:
    quantise_row(x, x.ctypes.data, x.shape[1] // PANEL, np.float32(factor), unsigned.ctypes.data)
    quantise_row_signed(x, x.ctypes.data, x.shape[1] // PANEL, np.float32(factor), signed.ctypes.data)


@kernel
def _column_maxima(x: Numbers, sizes: Numbers, others: Numbers, total: Floats) -> None:
    """Four rows, then one."""
    first, fifth = x.ctypes.data, x[ROWS_AT_ONCE:].ctypes.data
    stride, lines = x.strides[0], x.shape[1] * x.itemsize // VECTOR_BYTES
    column_maxima_of_four(x, first, stride, lines, sizes.ctypes.data, total.ctypes.data)
    column_maxima_of_one(x, fifth, stride, lines, sizes.ctypes.data, total.ctypes.data)
    column_maxima_and_sums_of_four(x, first, stride, lines, others.ctypes.data, total.ctypes.data)
    column_maxima_and_sums_of_one(x, fifth, stride, lines, others.ctypes.data, total.ctypes.data)


@kernel
def _quantise_columns(x: Numbers, factors: Floats, unsigned: Bytes, signed: Bytes) -> None:
    address, stride, steps = x.ctypes.data, x.strides[0], x.shape[0] // FOUR
    quantise_columns(x, address, stride, steps, factors.ctypes.data, unsigned.ctypes.data)
    quantise_columns_signed(x, address, stride, steps, factors.ctypes.data, signed.ctypes.data)


def draw(rows: int, columns: int, dtype: torch.dtype) -> tuple[Numbers, NDArray[np.float64]]:
    """The numbers, in rows that are wider, as a kernel takes them, and exactly."""
    x = (10 * torch.randn(rows, columns + PANEL)).to(dtype)[:, :columns]
    return as_array(x), x.double().numpy()


@formats
@pytest.mark.parametrize("value", [-1000.0, np.inf, np.nan])
def test_the_largest_magnitude_of_a_row(dtype: torch.dtype, value: float) -> None:
    x = torch.randn(1, COLUMNS).to(dtype)
    assert _row_maximum(as_array(x)) == float(x.abs().max())
    x[0, COLUMNS - 3] = value
    np.testing.assert_equal(_row_maximum(as_array(x)), float(x[0, COLUMNS - 3].abs()))


@formats
def test_a_row_is_rounded_to_the_nearest(dtype: torch.dtype) -> None:
    x, exact = draw(1, COLUMNS, dtype)
    factor = 60 / np.abs(exact).max()
    unsigned, signed = np.full((2, COLUMNS), 99, np.int8)
    _quantise_row(x, factor, unsigned, signed)
    assert (np.abs(signed - factor * exact[0]) <= 0.5001).all()
    assert (unsigned.view(np.uint8) == signed.astype(int) + ZERO_POINT).all()


@formats
def test_the_largest_magnitudes_of_columns_and_their_sums(dtype: torch.dtype) -> None:
    x, exact = draw(ROWS_AT_ONCE + 1, COLUMNS, dtype)
    before = torch.linspace(0, 30, COLUMNS).to(dtype)
    (sizes, others), total = (before.clone() for _ in range(2)), np.full(COLUMNS, 2, np.float32)
    _column_maxima(x, as_array(sizes), as_array(others), total)
    expected = np.maximum(before.double().numpy(), np.abs(exact).max(0))
    for found in (sizes, others):
        np.testing.assert_array_equal(found.double().numpy(), expected)
    np.testing.assert_allclose(total, 2 + exact.sum(0), rtol=1e-5, atol=1e-5)


@formats
def test_columns_are_rounded_into_a_panel(dtype: torch.dtype) -> None:
    x, exact = draw(ROWS, PANEL, dtype)
    factors = (60 / np.abs(exact).max(0)).astype(np.float32)
    unsigned, signed = np.full((2, ROWS // FOUR, PANEL, FOUR), 99, np.int8)
    _quantise_columns(x, factors, unsigned, signed)
    found: Any = signed.transpose(0, 2, 1).reshape(ROWS, PANEL)
    assert (np.abs(found - factors * exact) <= 0.5001).all()
    assert (unsigned.view(np.uint8) == signed.astype(int) + ZERO_POINT).all()
