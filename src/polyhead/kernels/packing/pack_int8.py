"""Matrices of bfloat16 or float32 rounded to 8-bit integers and packed as operands (`microkernels.int8`).

Each row or column along which a product sums has a scale of its own, by which its largest number becomes 127. Where a
number is NaN or infinite, all results that depend on it are NaN; where all are too small for a scale, they count as 0.
Shapes: N rows, up to a multiple of FOUR filled up with zeros; K and M columns, multiples of PANEL.
"""

from typing import Any

import numpy as np

from polyhead.kernels.arrays.unowned import floats_at, in_use_until_here
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.int8 import FOUR, STEP, Right, starts_of
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.microkernels.simd import NUMBER, WIDTH
from polyhead.kernels.numbers.formats import Numbers, real
from polyhead.kernels.numbers.stored import LINE
from polyhead.kernels.packing.pack_float32 import transpose
from polyhead.kernels.packing.quantise_int8 import (
    AT_ONCE,
    add_down_four,
    add_down_one,
    largest_of,
    look_down_four,
    look_down_one,
    round_down,
    round_down_with_sign,
    round_row,
    round_row_with_sign,
)

LARGEST = np.float32(127)
_SMALLEST = np.float32(1e-35)
_TOO_LARGE = np.float32(np.inf)
_ROWS = 64
"""Rows that are packed at once, for all columns: so many stay in a core's own cache."""


@kernel
def scale_of(largest: Any) -> Any:
    """What the integer 1 stands for, where the largest of the rounded numbers is this."""
    if largest < _SMALLEST:
        return np.float32(0)
    return largest / LARGEST if largest < _TOO_LARGE else np.float32(np.nan)


@kernel
def inverse(scale: Any) -> Any:
    """What numbers are multiplied by before they are rounded; 0 where there is no scale."""
    return np.float32(1) / scale if scale > 0 else np.float32(0)


@kernel
def steps_of(count: int) -> int:
    """How many times FOUR there are in so many numbers, rounded up."""
    return (count + FOUR - 1) // FOUR


@kernel
def take_rows(x: Numbers, first: int, count: int, out: int, scales: int) -> None:
    """`count` rows of x [N, K], from the first on, as the left operand → out [count, K] and scales [count]."""
    found, columns, row = floats_at(scales, count), x.shape[1], x.strides[0]
    place, panels = x.ctypes.data + first * row, columns // PANEL
    for n in range(count):
        here = place + n * row
        found[n] = scale_of(largest_of(x, here, panels))
        round_row(x, here, panels, inverse(found[n]), out + n * columns)


@kernel
def transpose_rows(x: Numbers, right: Right, workspace: int) -> None:
    """x [M, K], whose rows become the columns of `right`; up to a whole panel there are columns with the scale 0.

    workspace: the address of PANEL · K bytes
    """
    (rows, columns), row = x.shape, x.strides[0]
    panels, found = columns // PANEL, floats_at(right.scales, (rows + PANEL - 1) // PANEL * PANEL)
    found[rows:] = 0
    for m in range(0, rows, PANEL):
        panel = right.panels + m * columns
        for n in range(min(PANEL, rows - m)):
            place = x.ctypes.data + (m + n) * row
            found[m + n] = scale_of(largest_of(x, place, panels))
            round_row_with_sign(x, place, panels, inverse(found[m + n]), workspace + n * columns)
        for n in range(0, PANEL, WIDTH):
            for k in range(0, columns, LINE):
                transpose(workspace + n * columns + k, columns, WIDTH, panel + PANEL * k + NUMBER * n, STEP)
        starts_of(panel, right.steps, right.starts + NUMBER * m)


def _down(four: Any, one: Any) -> Any:
    """The kernel of a pass over x [N, K]: the magnitude of each column's largest number → sizes [K].

    four, one: what it does to four rows and to one, which may add them to `total`
    """

    @kernel
    def look(x: Numbers, sizes: Numbers, total: int) -> None:
        (rows, columns), row, place, to = x.shape, x.strides[0], x.ctypes.data, sizes.ctypes.data
        whole, lines = rows // AT_ONCE * AT_ONCE, columns * x.itemsize // LINE
        for n in range(0, whole, AT_ONCE):
            four(x, place + n * row, row, lines, to, total)
        for n in range(whole, rows):
            one(x, place + n * row, row, lines, to, total)

    return look


_look_down, _add_down = _down(look_down_four, look_down_one), _down(add_down_four, add_down_one)
"""The second also adds the sum of the rows to total [K], in float32."""


def _take_down(round_some: Any) -> Any:
    """The kernel that rounds the columns of x [N, K] and packs them into panels at `out`, with their scales [K]."""

    @kernel
    def take(x: Numbers, sizes: Numbers, out: int, scales: int) -> None:
        (rows, columns), row, place = x.shape, x.strides[0], x.ctypes.data
        found, factors = floats_at(scales, columns), np.empty(columns, np.float32)
        for k in range(columns):
            found[k] = scale_of(real(sizes[k]))
            factors[k] = inverse(found[k])
        steps, whole, by, last = steps_of(rows), rows // FOUR, factors.ctypes.data, np.zeros((FOUR, PANEL), x.dtype)
        for first in range(0, whole, _ROWS // FOUR):
            count = min(_ROWS // FOUR, whole - first)
            for k in range(0, columns, PANEL):
                to = out + steps * FOUR * k + STEP * first
                round_some(x, place + FOUR * first * row + x.itemsize * k, row, count, by + NUMBER * k, to)
        for k in range(0, columns if steps > whole else 0, PANEL):
            for n in range(FOUR * whole, rows):
                last[n - FOUR * whole] = x[n, k : k + PANEL]
            to = out + steps * FOUR * k + STEP * whole
            round_some(last, last.ctypes.data, last.strides[0], 1, by + NUMBER * k, to)
        in_use_until_here(factors)

    return take


_take_left, _take_right = _take_down(round_down), _take_down(round_down_with_sign)


@kernel
def take_columns(x: Numbers, right: Right) -> None:
    """x [N, K] as the right operand, into `right`."""
    sizes = np.zeros(x.shape[1], x.dtype)
    _look_down(x, sizes, sizes.ctypes.data)
    _take_right(x, sizes, right.panels, right.scales)
    for k in range(0, x.shape[1], PANEL):
        starts_of(right.panels + right.steps * FOUR * k, right.steps, right.starts + NUMBER * k)


@kernel
def transpose_columns(x: Numbers, out: int, scales: int, total: int) -> None:
    """x [N, M], whose columns become the rows of a transposed left operand → out and scales [M].

    The sum of the rows goes to total [M], float32.
    """
    sizes = np.zeros(x.shape[1], x.dtype)
    floats_at(total, x.shape[1])[:] = 0
    _add_down(x, sizes, total)
    _take_left(x, sizes, out, scales)
