"""Linear maps with packed weights in 8-bit integers (VNNI, and AMX for many rows; with AVX2 alone x has 7 bits).

With W = diag(v) W₈ and each row x = s x₈ + z, the sums of x₈ W₈ᵀ are exact integers; only the rounding of W and x is
not. As every row has its own scale s and zero z, no other row changes its result, and a ReLU's outputs use all levels.
Where x is not to be rounded noticeably, its levels have two digits, and each of them is multiplied like a row.
Shapes: R rows, K inputs and N outputs of a product, L layers, G digits.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.aligned import empty
from polyhead.kernels.arrays.bounds import require
from polyhead.kernels.kernel import kernel
from polyhead.kernels.linear.quantise import dequantise_sums, quantise_to_digits
from polyhead.kernels.llvm import LANES
from polyhead.kernels.microkernels import amx
from polyhead.kernels.microkernels.registers import INT8_MR, MAX_LEVEL, PANEL, int8_microkernel
from polyhead.kernels.microkernels.row_counts import switch_on_count
from polyhead.kernels.numbers.extremes import BLOCK, min_max
from polyhead.kernels.threads.team import Board, members, shared

Floats = NDArray[np.float32]

TINY = np.float32(1e-30)
"""The least width of a row's numbers, for rows whose numbers are all the same; too small to change any other row."""


LONGEST = 1 << 16
"""The most numbers that are summed over: 32 bits hold the sum of so many products of two bytes, one without a sign."""
FEWEST = 4
"""Rows for which tiles are worth it: they read weights more slowly, but do all of a tile's rows at once."""


class Int8Weights(NamedTuple):
    """The weights of one linear map in each of L layers, N filled up to whole panels."""

    weight: NDArray[np.int8]
    """[L, panels, K/4, PANEL, 4]: in the order in which they are read."""
    scale: Floats
    """[L, panels · PANEL] v, the scale of each output."""
    total: Floats
    """[L, panels · PANEL] v · Σ_k W₈, by which a row's zero is multiplied."""
    bias: Floats
    """[L, panels · PANEL]."""
    least: float
    """Where outputs are cut off: 0 for a ReLU, else -∞."""
    digits: int
    """G, bytes of a number of x: 1 or 2."""
    in_tiles: bool
    """Whether the CPU's unit for matrices multiplies FEWEST rows or more; K is then a multiple of ROW_BYTES."""


_quantise, _dequantise = switch_on_count(quantise_to_digits, (1, 2)), switch_on_count(dequantise_sums, (1, 2))
"""The functions of `quantise`, chosen by how many digits a level has."""
_product = switch_on_count(int8_microkernel, range(INT8_MR, 0, -1))
"""A microkernel for each number of rows: weights are read once for all the rows of a beam."""


@kernel
def quantise(x: Floats, digits: int, levels: NDArray[np.uint8], scales: Floats, zeros: Floats) -> None:
    """x [R, K] → levels [R · G, K], scales [R] and zeros [R]: x = scale · level + zero, rounded.

    A row's largest number has the highest level of G digits, its smallest one level 0.
    """
    blocks, vectors = x.shape[1] // BLOCK, x.shape[1] // LANES
    base = MAX_LEVEL + 1
    highest = np.float32(base**digits - 1)
    for r in range(x.shape[0]):
        row, written = x[r], levels[r * digits : (r + 1) * digits]
        here, there = np.uintp(row.ctypes.data), np.uintp(written.ctypes.data)
        low, high = row[0], row[0]
        if blocks:
            low, high = min_max(here, blocks)
        for k in range(blocks * BLOCK, x.shape[1]):
            low, high = min(low, row[k]), max(high, row[k])
        width = max(high - low, TINY)
        step = highest / width
        if vectors:
            _quantise(digits, here, vectors, low, step, there, levels.strides[0])
        for k in range(vectors * LANES, x.shape[1]):
            level = np.int32((row[k] - low) * step + np.float32(0.5))
            for digit in range(digits - 1, -1, -1):
                written[digit, k] = np.uint8(level % base)
                level //= base
        scales[r], zeros[r] = width / highest, low


@kernel
def _rows_at_once(left: int, digits: int) -> int:
    """The most rows of levels that are multiplied together, all digits of their numbers among them."""
    return min(left, INT8_MR) // digits * digits


@kernel
def _panels(member: int, first: int, last: int, given: Any) -> None:
    """Computes panels first … last - 1 of a product, as a member of a team."""
    levels, scales, zeros, sums_of_members, zeros_of_sums, product, layer, y = given
    rows, inputs, digits = levels.shape[0], levels.shape[1], product.digits
    sums = sums_of_members[member]
    results = sums.view(np.float32)
    start, out = np.uintp(zeros_of_sums.ctypes.data), np.uintp(sums.ctypes.data)
    least = np.float32(product.least)
    in_tiles = product.in_tiles and rows >= FEWEST
    tall = min(rows, amx.ROWS)
    if in_tiles:
        amx.open_tiles(tall)
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
                amx.int8_tile_product(here, inputs, weight, inputs // 4, out, sums.strides[0])
            else:
                count, here = _rows_at_once(rows - row, digits), np.uintp(levels[row:].ctypes.data)
                _product(count, here, inputs, weight, inputs // 4, start, out)
            first_row, whole_rows = row // digits, count // digits
            row_scales, row_zeros = np.uintp(scales[first_row:].ctypes.data), np.uintp(zeros[first_row:].ctypes.data)
            if begin + PANEL <= y.shape[1]:
                to = np.uintp(y[first_row, begin:].ctypes.data)
                _dequantise(digits, out, whole_rows, row_scales, row_zeros, scale, total, bias, least, to, y.strides[0])
            else:  # by way of the sums' own memory: the panel's last columns are not in y
                _dequantise(
                    digits, out, whole_rows, row_scales, row_zeros, scale, total, bias, least, out, sums.strides[0]
                )
                for r in range(whole_rows):
                    for n in range(y.shape[1] - begin):
                        y[first_row + r, begin + n] = results[r, n]
            row += count
    if in_tiles:
        amx.close_tiles()


_all_panels = shared(_panels)


@kernel
def multiply(x: Floats, product: Int8Weights, layer: int, y: Floats, board: Board) -> None:
    """x [R, K] → y [R, N] = max(x Wᵀ + b, least), with W and b of one layer, by the board's team."""
    rows, inputs = x.shape
    require(4 * product.weight.shape[2] == inputs and product.bias.shape[1] == product.weight.shape[1] * PANEL)
    require(y.shape[0] == rows and y.shape[1] <= product.bias.shape[1])
    levels = empty(rows * product.digits, inputs, np.uint8)
    scales, zeros = np.empty(rows, np.float32), np.empty(rows, np.float32)
    quantise(x, product.digits, levels, scales, zeros)
    most = max(INT8_MR, amx.ROWS)
    sums = empty(members(board) * most, PANEL, np.int32).reshape((members(board), most, PANEL))
    nothing, panels = np.zeros(PANEL, np.int32), product.weight.shape[1]
    _all_panels(board, panels, (levels, scales, zeros, sums, nothing, product, layer, y))
