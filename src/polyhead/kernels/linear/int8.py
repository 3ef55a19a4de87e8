"""Linear maps in 8-bit integers (VNNI, and AMX for many rows; with AVX2 alone x has 7 bits).

With W = diag(v) W₈ and each row x = s x₈ + z, the sums of x₈ W₈ᵀ are exact integers; only the rounding of W and x is
not. As every row has its own scale s and zero z, no row's companions touch it, and a ReLU's outputs use all levels.
Shapes: R rows, K inputs and N outputs of a product, L layers.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.aligned import empty
from polyhead.kernels.kernel import kernel
from polyhead.kernels.linear.blocks import rows_at_once
from polyhead.kernels.linear.levels import numbers_of_sums, round_to_levels
from polyhead.kernels.llvm import LANES
from polyhead.kernels.numbers.extremes import BLOCK, extent
from polyhead.kernels.sums import tiles
from polyhead.kernels.sums.registers import DOWN, HALF, LEVELS, PANEL, integer_sums
from polyhead.kernels.threads.team import Board, members, shared

Floats = NDArray[np.float32]

HIGHEST = np.float32(127)
"""The largest 8-bit integer, to which the largest weight of an output is mapped."""
HIGHEST_LEVEL = np.float32(LEVELS)
"""The unsigned one to which a row's largest number is mapped; its smallest becomes 0."""
TINY = np.float32(1e-30)
"""Numbers that are all the same have no scale; too small to change any other's."""


FEWEST = 4
"""Rows for which tiles are worth it: they read weights more slowly, but do all of a tile's rows at once."""


class Product(NamedTuple):
    """The weights of one linear map in each of L layers, N filled up to whole panels."""

    weight: NDArray[np.int8]
    """[L, panels, K/4, PANEL, 4]: in the order in which they are read."""
    scale: Floats
    """[L, panels · PANEL] v."""
    total: Floats
    """[L, panels · PANEL] v · Σ_k W₈, by which a row's zero counts."""
    bias: Floats
    """[L, panels · PANEL]."""
    least: float
    """Where outputs are cut off: 0 for a ReLU, else -∞."""
    in_tiles: bool
    """Whether the CPU's unit for matrices takes as many rows as it can; then K is a multiple of a tile's bytes."""


_sums_of_block = integer_sums(DOWN)
_sums_of_half = integer_sums(HALF)
_sums_of_one = integer_sums(1)


@kernel
def quantise(x: Floats, levels: NDArray[np.uint8], scales: Floats, zeros: Floats) -> None:
    """x [R, K] → levels [R, K], scales [R] and zeros [R]: x = scale · level + zero, rounded."""
    blocks, vectors = x.shape[1] // BLOCK, x.shape[1] // LANES
    for r in range(x.shape[0]):
        row = x[r]
        here = np.uintp(row.ctypes.data)
        low, high = row[0], row[0]
        if blocks:
            low, high = extent(here, blocks)
        for k in range(blocks * BLOCK, x.shape[1]):
            low, high = min(low, row[k]), max(high, row[k])
        width = max(high - low, TINY)
        step = HIGHEST_LEVEL / width
        if vectors:
            round_to_levels(here, vectors, low, step, np.uintp(levels[r].ctypes.data))
        for k in range(vectors * LANES, x.shape[1]):
            levels[r, k] = np.uint8(np.int32((row[k] - low) * step + np.float32(0.5)))
        scales[r], zeros[r] = width / HIGHEST_LEVEL, low


@kernel
def _sums(rows: int, x: Any, stride: int, weight: Any, steps: int, start: Any, out: Any) -> None:
    if rows == DOWN:
        _sums_of_block(x, stride, weight, steps, start, out)
    elif rows == HALF:
        _sums_of_half(x, stride, weight, steps, start, out)
    else:
        _sums_of_one(x, stride, weight, steps, start, out)


@kernel
def _panels(member: int, first: int, last: int, given: Any) -> None:
    """Panels first … last - 1 of a product."""
    levels, scales, zeros, sums_of_members, nothing, product, layer, y = given
    rows, inputs = levels.shape
    sums = sums_of_members[member]
    numbers = sums.view(np.float32)
    start, out = np.uintp(nothing.ctypes.data), np.uintp(sums.ctypes.data)
    least = np.float32(product.least)
    in_tiles = product.in_tiles and rows >= FEWEST
    tall = min(rows, tiles.ROWS)
    if in_tiles:
        tiles.open_tiles(tall)
    for panel in range(first, last):
        begin = panel * PANEL
        weight = np.uintp(product.weight[layer, panel].ctypes.data)
        scale = np.uintp(product.scale[layer, begin:].ctypes.data)
        total = np.uintp(product.total[layer, begin:].ctypes.data)
        bias, row = np.uintp(product.bias[layer, begin:].ctypes.data), 0
        while row < rows:
            if in_tiles:
                count, row = tall, min(row, rows - tall)  # the last tile may compute some rows again
                here = np.uintp(levels[row:].ctypes.data)
                tiles.tile_sums(here, inputs, weight, inputs // 4, out, sums.strides[0])
            else:
                count, here = rows_at_once(rows - row), np.uintp(levels[row:].ctypes.data)
                _sums(count, here, inputs, weight, inputs // 4, start, out)
            s, z = np.uintp(scales[row:].ctypes.data), np.uintp(zeros[row:].ctypes.data)
            if begin + PANEL <= y.shape[1]:
                to, pitch = np.uintp(y[row, begin:].ctypes.data), y.strides[0]
                numbers_of_sums(out, count, s, z, scale, total, bias, least, to, pitch)
            else:  # by way of the sums' own place: a part of the panel is nobody's
                numbers_of_sums(out, count, s, z, scale, total, bias, least, out, sums.strides[0])
                for r in range(count):
                    for n in range(y.shape[1] - begin):
                        y[row + r, begin + n] = numbers[r, n]
            row += count
    if in_tiles:
        tiles.close_tiles()


_all_panels = shared(_panels)


@kernel
def multiply(x: Floats, product: Product, layer: int, y: Floats, board: Board) -> None:
    """x [R, K] → y [R, N] = max(x Wᵀ + b, least), by the board's team."""
    rows, inputs = x.shape
    levels = empty(rows, inputs, np.uint8)
    scales, zeros = np.empty(rows, np.float32), np.empty(rows, np.float32)
    quantise(x, levels, scales, zeros)
    most = max(DOWN, tiles.ROWS)
    sums = empty(members(board) * most, PANEL, np.int32).reshape((members(board), most, PANEL))
    nothing, panels = np.zeros(PANEL, np.int32), product.weight.shape[1]
    _all_panels(board, panels, (levels, scales, zeros, sums, nothing, product, layer, y))
