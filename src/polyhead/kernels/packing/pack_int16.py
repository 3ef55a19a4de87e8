"""Matrices of float32 as whole numbers of 16 bits and scales, in pairs whose products are added up at once.

What is added up over, a row or a column, is scaled to a Euclidean length of LONGEST. So none of its numbers is longer,
and a sum of products of two of them no longer than LONGEST² < 2³⁰, however many they are (Cauchy and Schwarz): nothing
overflows. Where there are 512 numbers of about one size, they keep ten bits and a half; bfloat16 keeps eight.
Where a number is NaN or infinite, or its square is, all that comes of it is NaN; what is shorter than 3e-18, so that
float32 has no digits for its squares, counts as 0.
Shapes: N rows, N' of them with rows of zeros behind, a multiple of PAIRED; K and M columns, multiples of it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.unowned import floats_at, in_use_until_here
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.row_counts import FEWER, MOST, rows_at_once
from polyhead.kernels.microkernels.simd import LINE, NUMBER, WIDTH, LeftOperand, filled_up
from polyhead.kernels.packing.pack_float32 import turn_panel
from polyhead.kernels.packing.quantise_int16 import (
    AT_ONCE,
    add_four,
    add_one,
    pair_row,
    pair_rows,
    squares,
    take_fewer,
    take_most,
)

Floats = NDArray[np.float32]

LONGEST = np.float32(32766)
"""A unit less than 16 bits have room for, as lengths are rounded."""
PAIRED = 2 * WIDTH
"""Numbers in a vector of pairs."""
_SHORTEST = np.float32(1e-35)
"""A sum of squares."""


@kernel
def scale_of(squared: float) -> Any:
    """Of numbers with this sum of squares: what a unit of their whole numbers stands for."""
    return np.float32(0) if squared < _SHORTEST else np.float32(np.sqrt(squared)) / LONGEST


@kernel
def inverse(scale: Any) -> Any:
    """What numbers are multiplied by to be whole; those that are all 0 stay so."""
    return np.float32(1) / scale if scale != 0 else np.float32(0)


@kernel
def pair_and_turn_rows(x: Floats, out: int, scales: int, room: int) -> None:
    """x [M, K], its rows as a right factor's columns → out [M / WIDTH, K / 2, WIDTH] and scales [M].

    room: bytes for WIDTH rows of pairs.
    """
    (rows, columns), row, found = x.shape, x.strides[0], floats_at(scales, x.shape[0])
    steps = columns // 2
    for m in range(0, rows, WIDTH):
        count = min(WIDTH, rows - m)
        for n in range(count):
            place = x.ctypes.data + (m + n) * row
            found[m + n] = scale_of(squares(place, LINE, columns // WIDTH))
            pair_row(place, LINE, columns // WIDTH, inverse(found[m + n]), room + NUMBER * n * steps)
        turn_panel(room, NUMBER * steps, count, steps, out + NUMBER * m * steps)


@kernel
def pair_and_take_rows(x: LeftOperand, rows: int, columns: int, out: int, scales: int) -> None:
    """x [rows, K] → a turned left factor's out [rows · K / 2] and scales [rows]."""
    found, factors, blocks, done = floats_at(scales, rows), np.empty(MOST, np.float32), columns // WIDTH, 0
    size, by = NUMBER * (columns // 2), factors.ctypes.data
    while done < rows:
        count = rows_at_once(rows - done)
        place, to = x.place + done * x.row, out + size * done
        for r in range(count):
            found[done + r] = scale_of(squares(place + r * x.row, x.block, blocks))
            factors[r] = inverse(found[done + r])
        if count == MOST:
            take_most(place, x.row, x.block, blocks, by, to)
        elif count == FEWER:
            take_fewer(place, x.row, x.block, blocks, by, to)
        else:
            pair_row(place, x.block, blocks, factors[0], to)
        done += count
    in_use_until_here(factors)


@kernel
def pair_down(x: Floats, out: Floats, scales: Floats, total: Floats) -> None:
    """x [N, K], its columns' numbers in pairs → out [N' / 2, K] and scales [K]; sums over N are added to total [K]."""
    (rows, columns), row, place = x.shape, x.strides[0], x.ctypes.data
    factors, zeros, vectors = np.empty(columns, np.float32), np.zeros(columns, np.float32), columns // WIDTH
    _scale_columns(x, scales, factors, total)
    by, nothing = factors.ctypes.data, zeros.ctypes.data
    for n in range(0, rows, 2):
        other = place + (n + 1) * row if n + 1 < rows else nothing
        pair_rows(place + n * row, other, vectors, by, out[n // 2].ctypes.data)
    in_use_until_here(factors)
    in_use_until_here(zeros)
    out[(rows + 1) // 2 :] = 0


@kernel
def _scale_columns(x: Floats, scales: Floats, factors: Floats, total: Floats) -> None:
    """x [N, K] → scales [K] and what numbers are multiplied by [K]; sums over N are added to total [K].

    Four rows at a time, one after the other: a column alone would be read a line for every number.
    """
    (rows, columns), row, place = x.shape, x.strides[0], x.ctypes.data
    factors[:] = 0
    of_squares, sums, whole = factors.ctypes.data, total.ctypes.data, rows // AT_ONCE * AT_ONCE
    for n in range(0, whole, AT_ONCE):
        add_four(place + n * row, row, columns // WIDTH, of_squares, sums)
    for n in range(whole, rows):
        add_one(place + n * row, row, columns // WIDTH, of_squares, sums)
    for k in range(columns):
        scales[k] = scale_of(factors[k])
        factors[k] = inverse(scales[k])


@kernel
def pairs_of(count: int) -> int:
    """In so many numbers, filled up with zeros."""
    return filled_up((count + 1) // 2)
