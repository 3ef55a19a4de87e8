"""The three products of a linear map, and what else its passes do with them, on a core's unit for matrices.

As many columns of the right factor as fit in a core's own cache are put into squares first, and all rows pass by them.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of BLOCK, and N is BLOCK at least.
"""

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.bfloat16 import Halves, round_all
from polyhead.kernels.block_sums import (
    BLOCK,
    Left,
    Seen,
    Written,
    activated,
    added,
    bytes_for,
    gated,
    plain,
    product_of,
)
from polyhead.kernels.compile import kernel
from polyhead.kernels.squares import SQUARE, mix, turn
from polyhead.kernels.tiles import BYTES, ROWS, close_tiles, open_tiles
from polyhead.kernels.transpose import turn_block

Room = NDArray[np.uint8]

CACHED = 1 << 20
"""Bytes of the right factor that stay in a core's own cache, beside the rows that pass by."""
_times, _times_and_added, _times_and_activated, _times_and_gated = map(product_of, (plain, added, activated, gated))


def room_for(rows: int, inputs: int, outputs: int) -> int:
    """Bytes that these work in."""
    depth = -(-rows // BLOCK) * BLOCK
    right = max(CACHED, 2 * BLOCK * max(depth, inputs, outputs))
    return right + bytes_for(max(inputs, outputs)) + 2 * outputs * depth


@kernel
def linear(x: Halves, weight: Halves, bias: Halves, then_activated: bool, out: Halves, room: Room) -> None:
    """x [N, K] Wᵀ + b, of weight [M, K] and bias [M], and then ReLU if asked for → out [N, M]."""
    rows, steps, row, given = x.shape[0], x.shape[1] // BLOCK, weight.strides[0], _rows_of(x)
    group = _columns_at_once(x.shape[1], weight.shape[0])
    right = room.ctypes.data
    work = right + group * steps * BYTES
    open_tiles(ROWS)
    for first in range(0, weight.shape[0], group):
        columns = min(group, weight.shape[0] - first)
        _turn_rows(weight.ctypes.data + first * row, row, columns, steps, right)
        seen, there = Seen(bias.ctypes.data + 2 * first, 0, 1.0), _columns_of(out, first)
        if then_activated:
            _times_and_activated(given, rows, right, columns, steps, seen, there, work)
        else:
            _times_and_added(given, rows, right, columns, steps, seen, there, work)
    close_tiles()


@kernel
def input_gradient(gradient: Halves, weight: Halves, out: Halves, room: Room) -> None:
    """gradient [N, M] W → out [N, K]."""
    rows, steps, given = gradient.shape[0], weight.shape[0] // BLOCK, _rows_of(gradient)
    group = _columns_at_once(weight.shape[0], weight.shape[1])
    right = room.ctypes.data
    work = right + group * steps * BYTES
    open_tiles(ROWS)
    for first in range(0, weight.shape[1], group):
        columns = min(group, weight.shape[1] - first)
        _mix_columns(weight, first, columns, right)
        _times(given, rows, right, columns, steps, _unseen(weight), _columns_of(out, first), work)
    close_tiles()


@kernel
def gated_gradient(gradient: Halves, weight: Halves, passed: Halves, scale: float, out: Halves, room: Room) -> None:
    """The same, scaled where a ReLU and what came after it gave more than 0, passed [N, K], else 0."""
    rows, steps, given = gradient.shape[0], weight.shape[0] // BLOCK, _rows_of(gradient)
    group = _columns_at_once(weight.shape[0], weight.shape[1])
    right = room.ctypes.data
    work = right + group * steps * BYTES
    open_tiles(ROWS)
    for first in range(0, weight.shape[1], group):
        columns = min(group, weight.shape[1] - first)
        _mix_columns(weight, first, columns, right)
        seen = Seen(passed.ctypes.data + 2 * first, passed.strides[0], scale)
        _times_and_gated(given, rows, right, columns, steps, seen, _columns_of(out, first), work)
    close_tiles()


@kernel
def weight_gradient(gradient: Halves, x: Halves, out: Halves, total: Halves, room: Room) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the gradient's rows, added up in float32 → total [M]."""
    rows, outputs = gradient.shape
    steps = (rows + BLOCK - 1) // BLOCK
    group = _columns_at_once(BLOCK * steps, x.shape[1])
    left = room.ctypes.data
    right = left + outputs * steps * BYTES
    work = right + group * steps * BYTES
    _turn_columns(gradient, steps, left, total)
    given = Left(left, BYTES, SQUARE, 2 * SQUARE, steps * BYTES)
    room[right - left : work - left] = 0  # behind the last row
    open_tiles(ROWS)
    for first in range(0, x.shape[1], group):
        columns = min(group, x.shape[1] - first)
        _mix_columns(x, first, columns, right)
        _times(given, outputs, right, columns, steps, _unseen(x), _columns_of(out, first), work)
    close_tiles()


@kernel
def _columns_at_once(depth: int, columns: int) -> int:
    return min(columns, max(BLOCK, CACHED // (2 * depth) // BLOCK * BLOCK))


@kernel
def _rows_of(x: Halves) -> Left:
    row = x.strides[0]
    return Left(x.ctypes.data, row, ROWS * row, BYTES, row)


@kernel
def _columns_of(out: Halves, first: int) -> Written:
    """From the first on."""
    return Written(out.ctypes.data + 2 * first, out.strides[0])


@kernel
def _unseen(x: Halves) -> Seen:
    """Any numbers."""
    return Seen(x.ctypes.data, 0, 1.0)


@kernel
def _turn_rows(place: int, row: int, rows: int, steps: int, out: int) -> None:
    """Rows as columns of a right factor: those of even numbers in one square, those of odd ones in the next."""
    for n in range(0, rows, BLOCK):
        for step in range(steps):
            here, there = place + n * row + step * BYTES, out + n * steps * BYTES + 2 * step * SQUARE
            turn(here, 2 * row, ROWS, there)
            turn(here + row, 2 * row, ROWS, there + SQUARE)


@kernel
def _mix_columns(x: Halves, first: int, columns: int, out: int) -> None:
    """Columns from the first on as a right factor's; behind an odd number of rows there is one of zeros."""
    place, row, rows = x.ctypes.data + 2 * first, x.strides[0], x.shape[0]
    steps = (rows + BLOCK - 1) // BLOCK
    for step in range(steps):
        for n in range(0, columns, BLOCK):
            here, there = place + step * BLOCK * row + 2 * n, out + n * steps * BYTES + 2 * step * SQUARE
            mix(here, row, min(BLOCK, rows - step * BLOCK), there, there + SQUARE)


@kernel
def _turn_columns(x: Halves, steps: int, out: int, total: Halves) -> None:
    """x [N, M] as squares of a left factor's M rows; behind the last of N there are zeros. Sums over N → total [M]."""
    rows, columns = x.shape
    sums, rest = np.zeros(columns, np.float32), np.zeros((BLOCK, columns), np.uint16)
    rest[: rows % BLOCK] = x[rows - rows % BLOCK :]
    for step in range(steps):
        taken = x[step * BLOCK :] if (step + 1) * BLOCK <= rows else rest
        here, row = taken.ctypes.data, taken.strides[0]
        for m in range(0, columns, BLOCK):
            there = np.uintp(out + m * steps * BYTES + 2 * step * SQUARE)
            turn_block(np.uintp(here + 2 * m), row, there, BYTES, np.uintp(sums[m:].ctypes.data))
    round_all(sums, total)
