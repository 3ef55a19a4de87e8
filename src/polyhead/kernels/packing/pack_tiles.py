"""Matrices of bfloat16 packed as operands of AMX, a core's unit for matrices, into squares: images of its tiles.

Of a right operand there are, for each BLOCK of columns, squares of the even ones and of the odd ones, in turn.
"""

import numpy as np

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import BYTES, ROWS
from polyhead.kernels.microkernels.amx_gemm import BLOCK, LeftTiles, TileEpilogueInput
from polyhead.kernels.microkernels.tiles import SQUARE, mix, transpose
from polyhead.kernels.numbers.bfloat16 import Halves
from polyhead.kernels.numbers.formats import round_all
from polyhead.kernels.packing.transpose import transpose_block

CACHED = 1 << 20
"""Bytes of the right operand that stay in a core's own cache, beside the rows that pass by."""


@kernel
def transpose_rows(x: Halves, first: int, count: int, steps: int, out: int) -> None:
    """Rows from the first on as columns of a right operand: even ones in one square, odd ones in the next."""
    row = x.strides[0]
    place = x.ctypes.data + first * row
    for n in range(0, count, BLOCK):
        for step in range(steps):
            here, there = place + n * row + step * BYTES, out + n * steps * BYTES + 2 * step * SQUARE
            transpose(here, 2 * row, ROWS, there)
            transpose(here + row, 2 * row, ROWS, there + SQUARE)


@kernel
def mix_columns(x: Halves, first: int, count: int, steps: int, out: int) -> None:
    """Columns from the first on as a right operand's; behind an odd number of rows there is one of zeros."""
    place, row, rows = x.ctypes.data + 2 * first, x.strides[0], x.shape[0]
    for step in range(steps):
        for n in range(0, count, BLOCK):
            here, there = place + step * BLOCK * row + 2 * n, out + n * steps * BYTES + 2 * step * SQUARE
            mix(here, row, min(BLOCK, rows - step * BLOCK), there, there + SQUARE)


@kernel
def transpose_columns(x: Halves, steps: int, out: int, total: Halves) -> None:
    """x [N, M] as squares of a left operand's M rows; behind the last of N there are zeros. Sums over N → total [M]."""
    rows, columns = x.shape
    sums, rest = np.zeros(columns, np.float32), np.zeros((BLOCK, columns), np.uint16)
    rest[: rows % BLOCK] = x[rows - rows % BLOCK :]
    for step in range(steps):
        taken = x[step * BLOCK :] if (step + 1) * BLOCK <= rows else rest
        here, row = taken.ctypes.data, taken.strides[0]
        for m in range(0, columns, BLOCK):
            there = np.uintp(out + m * steps * BYTES + 2 * step * SQUARE)
            transpose_block(np.uintp(here + 2 * m), row, there, BYTES, np.uintp(sums[m:].ctypes.data))
    round_all(sums, total)


@kernel
def columns_at_once(columns: int, steps: int) -> int:
    """How many columns of the right operand, of so many tiles each, stay in a core's own cache."""
    return min(columns, max(BLOCK, CACHED // (steps * BYTES) // BLOCK * BLOCK))


@kernel
def rows_of(x: Halves) -> LeftTiles:
    """x [N, K] as the left operand, whose rows are read where they are."""
    row = x.strides[0]
    return LeftTiles(x.ctypes.data, row, ROWS * row, BYTES, row)


@kernel
def no_input(x: Halves) -> TileEpilogueInput:
    """The input of an epilogue that uses none: an address that may be read."""
    return TileEpilogueInput(x.ctypes.data, 0, 0, 1.0)
