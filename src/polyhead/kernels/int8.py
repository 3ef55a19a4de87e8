"""Linear maps in 8-bit integers (VNNI).

With W = diag(v) W₈ and each row x = s x₈, the sums of x₈ W₈ᵀ are exact integers; only the rounding of W and x is not.
As every row has its own scale, no row's companions touch it.
Shapes: R rows, K inputs and N outputs of a product, L layers.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.blocks import rows_at_once
from polyhead.kernels.compile import kernel
from polyhead.kernels.registers import DOWN, HALF, PANEL, integer_sums, largest

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]

LEVELS = np.float32(127)
"""The largest 8-bit integer, to which a row's largest element is mapped."""
ZERO = 128
"""VNNI multiplies unsigned by signed bytes: the unsigned byte that stands for 0."""
TINY = np.float32(1e-30)
"""A row of zeros has no scale; too small to change any other's."""


class Product(NamedTuple):
    """The weights of one linear map in each of L layers, N filled up to whole panels."""

    weight: NDArray[np.int8]
    """[L, panels, K/4, PANEL, 4]: in the order in which they are read."""
    start: Integers
    """[L, panels · PANEL] -ZERO · Σ_k W₈: where a sum of unsigned levels begins."""
    scale: Floats
    """[L, panels · PANEL] v."""
    bias: Floats
    """[L, panels · PANEL]."""
    least: float
    """Where outputs are cut off: 0 for a ReLU, else -∞."""


_sums_of_block = integer_sums(DOWN)
_sums_of_half = integer_sums(HALF)
_sums_of_one = integer_sums(1)
_largest = largest(absolute=True)


@kernel
def quantise(x: Floats, levels: NDArray[np.uint8], scales: Floats) -> None:
    """x [R, K] → levels [R, K] and scales [R]: x = scale · (level - ZERO) / LEVELS, rounded."""
    blocks = x.shape[1] // PANEL
    for r in range(x.shape[0]):
        highest = TINY
        if blocks:
            highest = max(highest, _largest(np.uintp(x[r].ctypes.data), blocks))
        for k in range(blocks * PANEL, x.shape[1]):
            highest = max(highest, abs(x[r, k]))
        step = LEVELS / highest
        for k in range(x.shape[1]):
            levels[r, k] = np.uint8(np.int32(x[r, k] * step + np.float32(ZERO + 0.5)))
        scales[r] = highest / LEVELS


@kernel
def _sums(rows: int, x: Any, stride: int, weight: Any, steps: int, start: Any, out: Any) -> None:
    if rows == DOWN:
        _sums_of_block(x, stride, weight, steps, start, out)
    elif rows == HALF:
        _sums_of_half(x, stride, weight, steps, start, out)
    else:
        _sums_of_one(x, stride, weight, steps, start, out)


@kernel
def multiply(x: Floats, product: Product, layer: int, y: Floats) -> None:
    """x [R, K] → y [R, N] = max(x Wᵀ + b, least)."""
    rows, inputs = x.shape
    levels, scales = np.empty((rows, inputs), np.uint8), np.empty(rows, np.float32)
    quantise(x, levels, scales)
    sums = np.empty((DOWN, PANEL), np.int32)
    out = np.uintp(sums.ctypes.data)
    least = np.float32(product.least)
    for panel in range(product.weight.shape[1]):
        first = panel * PANEL
        weight = np.uintp(product.weight[layer, panel].ctypes.data)
        start = np.uintp(product.start[layer, first:].ctypes.data)
        scale, bias = product.scale[layer, first : first + PANEL], product.bias[layer, first : first + PANEL]
        row = 0
        while row < rows:
            count = rows_at_once(rows - row)
            _sums(count, np.uintp(levels[row:].ctypes.data), inputs, weight, inputs // 4, start, out)
            for r in range(count):
                s, total, given = scales[row + r], sums[r], y[row + r, first : first + PANEL]
                for n in range(given.shape[0]):
                    given[n] = max(least, np.float32(total[n]) * (s * scale[n]) + bias[n])
            row += count
