"""Matrices rounded to 8-bit integers and packed, against the same in NumPy."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.hardware import cpu_features
from polyhead.kernels.arrays.tensors import as_array
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.int8 import FOUR, LARGEST_INT8, ZERO_POINT, Int8RightOperand
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.numbers.formats import Numbers
from polyhead.kernels.packing.pack_int8 import pack_left_columns, pack_left_rows, pack_right_columns, pack_right_rows

pytestmark = pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU multiplies no bytes in vectors")

Bytes = NDArray[np.int8]
Exact = NDArray[np.float64]
COLUMNS = 2 * PANEL
ROWS = [5, 72]


class Right:
    """Room for a right operand, of which nothing is known before."""

    def __init__(self, columns: int, steps: int) -> None:
        self.panels = np.full((columns // PANEL, steps, PANEL, FOUR), 99, np.int8)
        self.compensation = np.full(columns, 99, np.int32)
        self.scales = np.full(columns, np.nan, np.float32)
        arrays = self.panels, self.compensation, self.scales
        self.operand = Int8RightOperand(arrays[0].ctypes.data, steps, *(each.ctypes.data for each in arrays[1:]))

    def assert_is(self, exact: Exact) -> None:
        """Columns [K, M] are those of the exact matrix; behind its last row and its last column there are zeros."""
        columns = unpacked(self.panels)
        rows, known = exact.shape
        assert_rounded(columns[:rows, :known].T, self.scales[:known], exact.T)
        assert not columns[rows:].any()
        assert not self.scales[known:].any()
        assert (self.compensation == -ZERO_POINT * columns.sum(0, dtype=int))[:known].all()


@kernel
def _pack_rows(x: Numbers, left: Bytes, scales: Any, right: Int8RightOperand, workspace: Bytes) -> None:
    pack_left_rows(x, 1, left.shape[0], left.ctypes.data, scales.ctypes.data)
    pack_right_rows(x, right, workspace.ctypes.data)


@kernel
def _pack_left_columns(x: Numbers, left: Bytes, scales: Any, total: Any) -> None:
    pack_left_columns(x, left.ctypes.data, scales.ctypes.data, total.ctypes.data)


@kernel
def _pack_right_columns(x: Numbers, right: Int8RightOperand) -> None:
    pack_right_columns(x, right)


def left_columns(rows: int) -> Bytes:
    return np.full((COLUMNS // PANEL, -(-rows // FOUR), PANEL, FOUR), 99, np.int8)


def unpacked(panels: NDArray[Any]) -> NDArray[Any]:
    """Panels → the columns that are in them."""
    return panels.transpose(1, 3, 0, 2).reshape(-1, len(panels) * PANEL)


def signed(levels: Bytes) -> Bytes:
    """A left operand's bytes without the ZERO_POINT."""
    return (levels.view(np.uint8).astype(int) - ZERO_POINT).astype(np.int8)


def assert_rounded(levels: Bytes, scales: NDArray[np.float32], exact: Exact) -> None:
    """Rows to the nearest level, the largest number of each to LARGEST_INT8; those without a number have no scale."""
    largest = np.abs(exact).max(1)
    np.testing.assert_allclose(scales, largest / LARGEST_INT8, rtol=1e-6)
    assert (np.abs(levels).max(1) == np.where(largest > 0, LARGEST_INT8, 0)).all()
    assert (np.abs(scales[:, None] * levels.astype(float) - exact) <= 0.5001 * scales[:, None]).all()


def draw(rows: int, dtype: torch.dtype) -> tuple[Tensor, Exact]:
    """Rows and columns of very different size, and one of zeros each."""
    x = torch.randn(rows, COLUMNS) * 10.0 ** torch.linspace(-2, 2, rows)[:, None] * 10.0 ** torch.rand(COLUMNS)
    x[rows // 2], x[:, 3] = 0, 0
    return x.to(dtype), x.to(dtype).double().numpy()


@pytest.mark.parametrize("rows", [5, PANEL + 6])
def test_rows_of_float32(rows: int) -> None:
    x, exact = draw(rows, torch.float32)
    left, scales = np.full((rows - 2, COLUMNS), 99, np.int8), np.empty(rows - 2, np.float32)
    right = Right(rows + -rows % PANEL, COLUMNS // FOUR)
    _pack_rows(as_array(x), left, scales, right.operand, np.empty(PANEL * COLUMNS, np.int8))
    assert_rounded(signed(left), scales, exact[1:-1])
    right.assert_is(exact.T)


@pytest.mark.parametrize("rows", ROWS)
def test_columns_of_bfloat16_on_the_left(rows: int) -> None:
    x, exact = draw(rows, torch.bfloat16)
    left, (scales, total) = left_columns(rows), np.empty((2, COLUMNS), np.float32)
    _pack_left_columns(as_array(x), left, scales, total)
    columns = signed(unpacked(left))
    assert_rounded(columns[:rows].T, scales, exact.T)
    assert not columns[rows:].any()
    assert (np.abs(total - exact.sum(0)) <= 1e-5 * np.abs(exact).sum(0)).all()


@pytest.mark.parametrize("rows", ROWS)
def test_columns_of_bfloat16_on_the_right(rows: int) -> None:
    x, exact = draw(rows, torch.bfloat16)
    right = Right(COLUMNS, -(-rows // FOUR))
    _pack_right_columns(as_array(x), right.operand)
    right.assert_is(exact)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_depends_on_no_number_has_no_number_for_a_scale(value: float) -> None:
    x, right = torch.ones(5, COLUMNS).bfloat16(), Right(COLUMNS, 2)
    x[3, 7] = value
    scales, total = np.empty((2, COLUMNS), np.float32)
    _pack_left_columns(as_array(x), left_columns(5), scales, total)
    _pack_right_columns(as_array(x), right.operand)
    assert np.flatnonzero(np.isnan(scales)).tolist() == np.flatnonzero(np.isnan(right.scales)).tolist() == [7]
