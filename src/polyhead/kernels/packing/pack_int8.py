"""Matrices of bfloat16 or float32 rounded to 8-bit integers and packed as operands (`microkernels.int8`).

Each row or column along which a product sums has a scale of its own, by which its largest number becomes LARGEST_INT8.
Where a number is NaN or infinite, all results that depend on it are NaN; where all are too small for a scale, they
count as 0.
Shapes: N rows, up to a multiple of FOUR filled up with zeros; K and M columns, multiples of PANEL.
"""

from typing import Any

import numpy as np

from polyhead.kernels.arrays.unowned import float32_at, keep_alive
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.int8 import FOUR, LARGEST_INT8, STEP, Int8RightOperand, write_compensation
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.microkernels.simd import FLOAT_BYTES, WIDTH
from polyhead.kernels.numbers.formats import Numbers, as_float32
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES
from polyhead.kernels.packing.pack_float32 import transpose
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

_LARGEST, _SMALLEST = np.float32(LARGEST_INT8), np.float32(1e-35)
_TOO_LARGE = np.float32(np.inf)
_ROWS = 64
"""Rows that are packed at once, for all columns: so many stay in a core's own cache."""


@kernel
def scale_of(largest: Any) -> Any:
    """The scale of some numbers, which the integer 1 stands for, from the magnitude of the largest of them."""
    if largest < _SMALLEST:
        return np.float32(0)
    return largest / _LARGEST if largest < _TOO_LARGE else np.float32(np.nan)


@kernel
def inverse(scale: Any) -> Any:
    """What numbers are multiplied by before they are rounded; 0 where there is no scale."""
    return np.float32(1) / scale if scale > 0 else np.float32(0)


@kernel
def steps_of(count: int) -> int:
    """How many times FOUR there are in so many numbers, rounded up."""
    return (count + FOUR - 1) // FOUR


@kernel
def pack_left_rows(x: Numbers, first: int, count: int, out: int, scales: int) -> None:
    """`count` rows of x [N, K], from the first on, as the left operand → out [count, K] and scales [count]."""
    found, columns, stride = float32_at(scales, count), x.shape[1], x.strides[0]
    address, panels = x.ctypes.data + first * stride, columns // PANEL
    for n in range(count):
        here = address + n * stride
        found[n] = scale_of(row_maximum(x, here, panels))
        quantise_row(x, here, panels, inverse(found[n]), out + n * columns)


@kernel
def pack_right_rows(x: Numbers, right: Int8RightOperand, workspace: int) -> None:
    """x [M, K], whose rows become the columns of `right`; up to a whole panel there are columns with the scale 0.

    workspace: the address of PANEL · K bytes
    """
    (rows, columns), stride = x.shape, x.strides[0]
    panels, found = columns // PANEL, float32_at(right.scales, (rows + PANEL - 1) // PANEL * PANEL)
    found[rows:] = 0
    for m in range(0, rows, PANEL):
        panel = right.panels + m * columns
        for n in range(min(PANEL, rows - m)):
            address = x.ctypes.data + (m + n) * stride
            found[m + n] = scale_of(row_maximum(x, address, panels))
            quantise_row_signed(x, address, panels, inverse(found[m + n]), workspace + n * columns)
        for n in range(0, PANEL, WIDTH):
            for k in range(0, columns, VECTOR_BYTES):
                transpose(workspace + n * columns + k, columns, WIDTH, panel + PANEL * k + FLOAT_BYTES * n, STEP)
        write_compensation(panel, right.steps, right.compensation + FLOAT_BYTES * m)


def _column_pass(four: Any, one: Any) -> Any:
    """The kernel of a pass over x [N, K]: the magnitude of each column's largest number → sizes [K].

    four, one: what it does to four rows and to one, which may add them to `total`
    """

    @kernel
    def run(x: Numbers, sizes: Numbers, total: int) -> None:
        (rows, columns), stride, address, to = x.shape, x.strides[0], x.ctypes.data, sizes.ctypes.data
        whole, lines = rows // ROWS_AT_ONCE * ROWS_AT_ONCE, columns * x.itemsize // VECTOR_BYTES
        for n in range(0, whole, ROWS_AT_ONCE):
            four(x, address + n * stride, stride, lines, to, total)
        for n in range(whole, rows):
            one(x, address + n * stride, stride, lines, to, total)

    return run


_column_maxima, _column_maxima_and_sums = (
    _column_pass(column_maxima_of_four, column_maxima_of_one),
    _column_pass(column_maxima_and_sums_of_four, column_maxima_and_sums_of_one),
)
"""Both find each column's largest magnitude; the second also adds the sum of the rows to total [K], in float32."""


def _column_packer(round_some: Any) -> Any:
    """The kernel that rounds the columns of x [N, K] and packs them into panels at `out`, with their scales [K]."""

    @kernel
    def take(x: Numbers, sizes: Numbers, out: int, scales: int) -> None:
        (rows, columns), stride, address = x.shape, x.strides[0], x.ctypes.data
        found, factors = float32_at(scales, columns), np.empty(columns, np.float32)
        for k in range(columns):
            found[k] = scale_of(as_float32(sizes[k]))
            factors[k] = inverse(found[k])
        steps, whole, by, last = steps_of(rows), rows // FOUR, factors.ctypes.data, np.zeros((FOUR, PANEL), x.dtype)
        for first in range(0, whole, _ROWS // FOUR):
            count = min(_ROWS // FOUR, whole - first)
            for k in range(0, columns, PANEL):
                to = out + steps * FOUR * k + STEP * first
                round_some(x, address + FOUR * first * stride + x.itemsize * k, stride, count, by + FLOAT_BYTES * k, to)
        for k in range(0, columns if steps > whole else 0, PANEL):
            for n in range(FOUR * whole, rows):
                last[n - FOUR * whole] = x[n, k : k + PANEL]
            to = out + steps * FOUR * k + STEP * whole
            round_some(last, last.ctypes.data, last.strides[0], 1, by + FLOAT_BYTES * k, to)
        keep_alive(factors)

    return take


_pack_unsigned, _pack_signed = _column_packer(quantise_columns), _column_packer(quantise_columns_signed)


@kernel
def pack_right_columns(x: Numbers, right: Int8RightOperand) -> None:
    """x [N, K] as the right operand, into `right`."""
    sizes = np.zeros(x.shape[1], x.dtype)
    _column_maxima(x, sizes, sizes.ctypes.data)
    _pack_signed(x, sizes, right.panels, right.scales)
    for k in range(0, x.shape[1], PANEL):
        write_compensation(right.panels + right.steps * FOUR * k, right.steps, right.compensation + FLOAT_BYTES * k)


@kernel
def pack_left_columns(x: Numbers, out: int, scales: int, total: int) -> None:
    """x [N, M], whose columns become the rows of a transposed left operand → out and scales [M].

    The sum of the rows goes to total [M], float32.
    """
    sizes = np.zeros(x.shape[1], x.dtype)
    float32_at(total, x.shape[1])[:] = 0
    _column_maxima_and_sums(x, sizes, total)
    _pack_unsigned(x, sizes, out, scales)
