"""Matrices of bfloat16 as whole numbers of 8 bits and scales, in the orders in which products read them.

What is added up over, a row or a column, has a scale of its own, by which its largest number becomes 127. Where a
number is NaN or infinite, all that comes of it is NaN; where all are too small for a scale, they count as 0.
Shapes: N rows, S steps of FOUR of them, filled up with zeros; K and M columns, multiples of PANEL.
"""

from typing import Any

import numpy as np

from polyhead.kernels.arrays.borrowed import floats_at
from polyhead.kernels.factors.in_vectors import turn
from polyhead.kernels.factors.rounding import AT_ONCE
from polyhead.kernels.factors.rounding_to_bytes import (
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
from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers.bfloat16 import Halves, widened
from polyhead.kernels.sums.byte_sums import FOUR, HALF, STEP, Right, starts_of
from polyhead.kernels.sums.registers import PANEL
from polyhead.kernels.sums.vector_sums import LINE, NUMBER, WIDTH

LARGEST = np.float32(127)
_SMALLEST = np.float32(1e-35)
_TOO_LARGE = np.float32(np.inf)
_ROWS = 64
"""Of which a column's bytes are made at once: so many stay in a core's own cache."""


@kernel
def scale_of(largest: Any) -> Any:
    """Of numbers up to this: what a unit of their whole numbers stands for."""
    if largest < _SMALLEST:
        return np.float32(0)
    return largest / LARGEST if largest < _TOO_LARGE else np.float32(np.nan)


@kernel
def inverse(scale: Any) -> Any:
    """What numbers are multiplied by to be whole; 0 where there is no scale."""
    return np.float32(1) / scale if scale > 0 else np.float32(0)


@kernel
def steps_of(count: int) -> int:
    """In so many numbers."""
    return (count + FOUR - 1) // FOUR


@kernel
def take_rows(x: int, row: int, rows: int, columns: int, out: int, scales: int) -> None:
    """x [rows, K], at an address, a row's bytes apart → a left factor's out [rows, K] and scales [rows]."""
    found, panels = floats_at(scales, rows), columns // PANEL
    for n in range(rows):
        here = x + n * row
        found[n] = scale_of(largest_of(here, panels))
        round_row(here, panels, inverse(found[n]), out + n * columns)


@kernel
def turn_rows(x: Halves, right: Right, room: int) -> None:
    """x [M, K], its rows as a right factor's columns; behind the last up to a whole panel any, of scale 0.

    room: for the bytes of PANEL rows.
    """
    (rows, columns), row = x.shape, x.strides[0]
    panels, found = columns // PANEL, floats_at(right.scales, (rows + PANEL - 1) // PANEL * PANEL)
    found[rows:] = 0
    for m in range(0, rows, PANEL):
        panel = right.panels + m * columns
        for n in range(min(PANEL, rows - m)):
            place = x.ctypes.data + (m + n) * row
            found[m + n] = scale_of(largest_of(place, panels))
            round_row_with_sign(place, panels, inverse(found[m + n]), room + n * columns)
        for n in range(0, PANEL, WIDTH):
            for k in range(0, columns, LINE):
                turn(room + n * columns + k, columns, WIDTH, panel + PANEL * k + NUMBER * n, STEP)
        starts_of(panel, right.steps, right.starts + NUMBER * m)


def _down(four: Any, one: Any) -> Any:
    """The kernel of a pass over x [N, K]: the size of each column's largest number → sizes [K], and what total gets."""

    @kernel
    def look(x: Halves, sizes: Halves, total: int) -> None:
        (rows, columns), row, place, to = x.shape, x.strides[0], x.ctypes.data, sizes.ctypes.data
        whole, vectors = rows // AT_ONCE * AT_ONCE, columns // (2 * WIDTH)
        for n in range(0, whole, AT_ONCE):
            four(place + n * row, row, vectors, to, total)
        for n in range(whole, rows):
            one(place + n * row, row, vectors, to, total)

    return look


_look_down, _add_down = _down(look_down_four, look_down_one), _down(add_down_four, add_down_one)
"""Nothing, and sums over N: float32, added to what is there."""


def _take_down(round_some: Any) -> Any:
    @kernel
    def take(x: Halves, sizes: Halves, out: int, scales: int) -> None:
        (rows, columns), row, place = x.shape, x.strides[0], x.ctypes.data
        found, factors = floats_at(scales, columns), np.empty(columns, np.float32)
        for k in range(columns):
            found[k] = scale_of(widened(sizes[k]))
            factors[k] = inverse(found[k])
        steps, whole, by, last = steps_of(rows), rows // FOUR, factors.ctypes.data, np.zeros((FOUR, PANEL), np.uint16)
        for first in range(0, whole, _ROWS // FOUR):
            count = min(_ROWS // FOUR, whole - first)
            for k in range(0, columns, PANEL):
                to = out + steps * FOUR * k + STEP * first
                round_some(place + FOUR * first * row + HALF * k, row, count, by + NUMBER * k, to)
        for k in range(0, columns if steps > whole else 0, PANEL):
            for n in range(FOUR * whole, rows):
                last[n - FOUR * whole] = x[n, k : k + PANEL]
            to = out + steps * FOUR * k + STEP * whole
            round_some(last.ctypes.data, last.strides[0], 1, by + NUMBER * k, to)

    return take


_take_left, _take_right = _take_down(round_down), _take_down(round_down_with_sign)


@kernel
def take_columns(x: Halves, right: Right) -> None:
    """x [N, K] as a right factor."""
    sizes = np.zeros(x.shape[1], np.uint16)
    _look_down(x, sizes, sizes.ctypes.data)
    _take_right(x, sizes, right.panels, right.scales)
    for k in range(0, x.shape[1], PANEL):
        starts_of(right.panels + right.steps * FOUR * k, right.steps, right.starts + NUMBER * k)


@kernel
def turn_columns(x: Halves, out: int, scales: int, total: int) -> None:
    """x [N, M], its columns as a turned left factor's rows → out and scales [M]; sums over N → total [M], float32."""
    sizes = np.zeros(x.shape[1], np.uint16)
    floats_at(total, x.shape[1])[:] = 0
    _add_down(x, sizes, total)
    _take_left(x, sizes, out, scales)
