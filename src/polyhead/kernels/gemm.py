"""The three products of a linear map, and what else its passes do with them, on a core's unit for matrices.

As many columns of the right factor as fit in a core's own cache are put into squares first, and all rows pass by them.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of BLOCK, and N is BLOCK at least.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.bfloat16 import Halves, round_all
from polyhead.kernels.block_sums import BLOCK, Left, Seen, Written, bytes_for, product_of
from polyhead.kernels.compile import kernel
from polyhead.kernels.finish import Finish, activated, added, gated, plain
from polyhead.kernels.squares import SQUARE, mix, turn
from polyhead.kernels.tiles import BYTES, ROWS, close_tiles, open_tiles
from polyhead.kernels.transpose import turn_block

Room = NDArray[np.uint8]

CACHED = 1 << 20
"""Bytes of the right factor that stay in a core's own cache, beside the rows that pass by."""


def room_for(rows: int, inputs: int, outputs: int) -> int:
    """Bytes that these work in."""
    depth = -(-rows // BLOCK) * BLOCK
    right = max(CACHED, 2 * BLOCK * max(depth, inputs, outputs))
    return right + bytes_for(max(inputs, outputs)) + 2 * outputs * depth


@kernel
def _turn_rows(x: Halves, first: int, count: int, steps: int, out: int) -> None:
    """Rows from the first on as columns of a right factor: even ones in one square, odd ones in the next."""
    row = x.strides[0]
    place = x.ctypes.data + first * row
    for n in range(0, count, BLOCK):
        for step in range(steps):
            here, there = place + n * row + step * BYTES, out + n * steps * BYTES + 2 * step * SQUARE
            turn(here, 2 * row, ROWS, there)
            turn(here + row, 2 * row, ROWS, there + SQUARE)


@kernel
def _mix_columns(x: Halves, first: int, count: int, steps: int, out: int) -> None:
    """Columns from the first on as a right factor's; behind an odd number of rows there is one of zeros."""
    place, row, rows = x.ctypes.data + 2 * first, x.strides[0], x.shape[0]
    for step in range(steps):
        for n in range(0, count, BLOCK):
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


@kernel
def _columns_at_once(columns: int, steps: int) -> int:
    return min(columns, max(BLOCK, CACHED // (steps * BYTES) // BLOCK * BLOCK))


def _product(put_in_squares: Any, finish: Finish) -> Any:
    """The kernel of a product with a matrix, of which as many columns as the cache holds are put in squares at once."""
    multiply = product_of(finish)

    @kernel
    def product(
        left: Left, rows: int, right: Halves, columns: int, steps: int, seen: Seen, out: Halves, room: int
    ) -> None:
        group = _columns_at_once(columns, steps)
        work = room + group * steps * BYTES
        open_tiles(ROWS)
        for first in range(0, columns, group):
            count = min(group, columns - first)
            put_in_squares(right, first, count, steps, room)
            beside = Seen(seen.place + 2 * first, seen.row, seen.factor)
            there = Written(out.ctypes.data + 2 * first, out.strides[0])
            multiply(left, rows, room, count, steps, beside, there, work)
        close_tiles()

    return product


_with_bias, _with_bias_and_relu = _product(_turn_rows, added), _product(_turn_rows, activated)
_with_columns, _with_columns_gated = _product(_mix_columns, plain), _product(_mix_columns, gated)


@kernel
def _rows_of(x: Halves) -> Left:
    row = x.strides[0]
    return Left(x.ctypes.data, row, ROWS * row, BYTES, row)


@kernel
def _unseen(x: Halves) -> Seen:
    """Any numbers."""
    return Seen(x.ctypes.data, 0, 1.0)


@kernel
def linear(x: Halves, weight: Halves, bias: Halves, then_activated: bool, out: Halves, room: Room) -> None:
    """x [N, K] Wᵀ + b, of weight [M, K] and bias [M], and then ReLU if asked for → out [N, M]."""
    (rows, inputs), outputs, seen = x.shape, weight.shape[0], Seen(bias.ctypes.data, 0, 1.0)
    if then_activated:
        _with_bias_and_relu(_rows_of(x), rows, weight, outputs, inputs // BLOCK, seen, out, room.ctypes.data)
    else:
        _with_bias(_rows_of(x), rows, weight, outputs, inputs // BLOCK, seen, out, room.ctypes.data)


@kernel
def input_gradient(gradient: Halves, weight: Halves, out: Halves, room: Room) -> None:
    """gradient [N, M] W → out [N, K]."""
    (rows, outputs), inputs = gradient.shape, weight.shape[1]
    given, steps = _rows_of(gradient), outputs // BLOCK
    _with_columns(given, rows, weight, inputs, steps, _unseen(weight), out, room.ctypes.data)


@kernel
def gated_gradient(gradient: Halves, weight: Halves, passed: Halves, scale: float, out: Halves, room: Room) -> None:
    """The same, scaled where a ReLU and what came after it gave more than 0, passed [N, K], else 0."""
    (rows, outputs), inputs = gradient.shape, weight.shape[1]
    given, seen = _rows_of(gradient), Seen(passed.ctypes.data, passed.strides[0], scale)
    _with_columns_gated(given, rows, weight, inputs, outputs // BLOCK, seen, out, room.ctypes.data)


@kernel
def weight_gradient(gradient: Halves, x: Halves, out: Halves, total: Halves, room: Room) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the gradient's rows, added up in float32 → total [M]."""
    (rows, outputs), inputs = gradient.shape, x.shape[1]
    steps = (rows + BLOCK - 1) // BLOCK
    turned = outputs * steps * BYTES
    squares = turned + _columns_at_once(inputs, steps) * steps * BYTES
    left = room.ctypes.data
    _turn_columns(gradient, steps, left, total)
    room[turned:squares] = 0  # behind the last row
    given = Left(left, BYTES, SQUARE, 2 * SQUARE, steps * BYTES)
    _with_columns(given, outputs, x, inputs, steps, _unseen(x), out, left + turned)
