"""Matrices of bfloat16 packed as operands of AMX, as images of its tiles.

Of a right operand there are, for each BLOCK of columns, a tile of the even ones and a tile of the odd ones, in turn.
"""

import numpy as np

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import ROW_BYTES, ROWS
from polyhead.kernels.microkernels.amx_gemm import BLOCK, LeftTiles, TileEpilogueInput
from polyhead.kernels.microkernels.tiles import TILE_BYTES, interleave_tiles, transpose_tile
from polyhead.kernels.numbers.bfloat16 import BFloat16s
from polyhead.kernels.numbers.formats import round_all
from polyhead.kernels.packing.transpose import transpose_block

CACHED = 1 << 20
"""Bytes of the right operand that stay in a core's own cache, beside the rows that pass by."""


@kernel
def pack_right_rows(x: BFloat16s, first: int, count: int, steps: int, out: int) -> None:
    """`count` rows of x, from `first` on, as columns of a right operand: even ones in one tile, odd in the next."""
    stride = x.strides[0]
    address = x.ctypes.data + first * stride
    for n in range(0, count, BLOCK):
        for step in range(steps):
            here, there = address + n * stride + step * ROW_BYTES, out + n * steps * ROW_BYTES + 2 * step * TILE_BYTES
            transpose_tile(here, 2 * stride, ROWS, there)
            transpose_tile(here + stride, 2 * stride, ROWS, there + TILE_BYTES)


@kernel
def pack_right_columns(x: BFloat16s, first: int, count: int, steps: int, out: int) -> None:
    """`count` columns of x, from `first` on, as a right operand's; behind an odd number of rows is a row of zeros."""
    address, stride, rows = x.ctypes.data + 2 * first, x.strides[0], x.shape[0]
    for step in range(steps):
        for n in range(0, count, BLOCK):
            here, there = address + step * BLOCK * stride + 2 * n, out + n * steps * ROW_BYTES + 2 * step * TILE_BYTES
            interleave_tiles(here, stride, min(BLOCK, rows - step * BLOCK), there, there + TILE_BYTES)


@kernel
def pack_left_columns(x: BFloat16s, steps: int, out: int, total: BFloat16s) -> None:
    """x [N, M] as tiles of a left operand's M rows; behind the last of N there are zeros. Sums over N → total [M]."""
    rows, columns = x.shape
    sums, rest = np.zeros(columns, np.float32), np.zeros((BLOCK, columns), np.uint16)
    rest[: rows % BLOCK] = x[rows - rows % BLOCK :]
    for step in range(steps):
        taken = x[step * BLOCK :] if (step + 1) * BLOCK <= rows else rest
        here, stride = taken.ctypes.data, taken.strides[0]
        for m in range(0, columns, BLOCK):
            there = np.uintp(out + m * steps * ROW_BYTES + 2 * step * TILE_BYTES)
            transpose_block(np.uintp(here + 2 * m), stride, there, ROW_BYTES, np.uintp(sums[m:].ctypes.data))
    round_all(sums, total)


@kernel
def columns_at_once(columns: int, steps: int) -> int:
    """How many columns of the right operand, of so many tiles each, stay in a core's own cache."""
    return min(columns, max(BLOCK, CACHED // (steps * ROW_BYTES) // BLOCK * BLOCK))


@kernel
def left_rows(x: BFloat16s) -> LeftTiles:
    """x [N, K] as the left operand, whose rows are read where they are."""
    stride = x.strides[0]
    return LeftTiles(x.ctypes.data, stride, ROWS * stride, ROW_BYTES, stride)


@kernel
def no_input(x: BFloat16s) -> TileEpilogueInput:
    """The input of an epilogue that uses none: an address that may be read."""
    return TileEpilogueInput(x.ctypes.data, 0, 0, 1.0)
