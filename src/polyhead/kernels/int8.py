"""Linear maps in 8-bit integers (VNNI, and AMX for many rows).

With W = diag(v) W₈ and each row x = s x₈ + z, the sums of x₈ W₈ᵀ are exact integers; only the rounding of W and x is
not. As every row has its own scale s and zero z, no row's companions touch it, and a ReLU's outputs use all levels.
Shapes: R rows, K inputs and N outputs of a product, L layers.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels import tiles
from polyhead.kernels.aligned import empty
from polyhead.kernels.blocks import rows_at_once
from polyhead.kernels.compile import kernel
from polyhead.kernels.extremes import BLOCK, largest, smallest
from polyhead.kernels.registers import DOWN, HALF, PANEL, integer_sums
from polyhead.kernels.team import Board, members, shared

Floats = NDArray[np.float32]

HIGHEST = np.float32(127)
"""The largest 8-bit integer, to which the largest weight of an output is mapped."""
LEVELS = np.float32(255)
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


_sums_of_tile = tiles.tile_sums("tdpbusd")
_sums_of_block = integer_sums(DOWN)
_sums_of_half = integer_sums(HALF)
_sums_of_one = integer_sums(1)


@kernel
def quantise(x: Floats, levels: NDArray[np.uint8], scales: Floats, zeros: Floats) -> None:
    """x [R, K] → levels [R, K], scales [R] and zeros [R]: x = scale · level + zero, rounded."""
    blocks = x.shape[1] // BLOCK
    for r in range(x.shape[0]):
        row = x[r]
        low, high = row[0], row[0]
        if blocks:
            here = np.uintp(row.ctypes.data)
            low, high = smallest(here, blocks), largest(here, blocks)
        for k in range(blocks * BLOCK, x.shape[1]):
            low, high = min(low, row[k]), max(high, row[k])
        width = max(high - low, TINY)
        step = LEVELS / width
        for k in range(x.shape[1]):
            levels[r, k] = np.uint8(np.int32((row[k] - low) * step + np.float32(0.5)))
        scales[r], zeros[r] = width / LEVELS, low


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
    start, out = np.uintp(nothing.ctypes.data), np.uintp(sums.ctypes.data)
    least = np.float32(product.least)
    in_tiles = product.in_tiles and rows >= FEWEST
    tall = min(rows, tiles.ROWS)
    if in_tiles:
        tiles.open_tiles(tall)
    for panel in range(first, last):
        begin = panel * PANEL
        weight = np.uintp(product.weight[layer, panel].ctypes.data)
        scale, total = product.scale[layer, begin : begin + PANEL], product.total[layer, begin : begin + PANEL]
        bias = product.bias[layer, begin : begin + PANEL]
        row = 0
        while row < rows:
            if in_tiles:
                count, row = tall, min(row, rows - tall)  # the last tile may compute some rows again
                here = np.uintp(levels[row:].ctypes.data)
                _sums_of_tile(here, inputs, weight, inputs // 4, out, sums.strides[0])
            else:
                count, here = rows_at_once(rows - row), np.uintp(levels[row:].ctypes.data)
                _sums(count, here, inputs, weight, inputs // 4, start, out)
            for r in range(count):
                s, z, found, to = scales[row + r], zeros[row + r], sums[r], y[row + r, begin : begin + PANEL]
                for n in range(to.shape[0]):
                    to[n] = max(least, np.float32(found[n]) * (s * scale[n]) + (z * total[n] + bias[n]))
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
