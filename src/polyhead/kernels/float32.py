"""Linear maps in float32.

Shapes: R rows, K inputs and N outputs of a product, L layers.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.aligned import empty
from polyhead.kernels.blocks import rows_at_once
from polyhead.kernels.compile import kernel
from polyhead.kernels.registers import DOWN, HALF, PANEL, real_sums

Floats = NDArray[np.float32]
_sums_of_block = real_sums(DOWN)
_sums_of_half = real_sums(HALF)
_sums_of_one = real_sums(1)


class Product(NamedTuple):
    """The weights of one linear map in each of L layers, N filled up to whole panels."""

    weight: Floats
    """[L, panels, K, PANEL]: in the order in which they are read."""
    bias: Floats
    """[L, panels · PANEL]."""
    least: float
    """Where outputs are cut off: 0 for a ReLU, else -∞."""


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
    stride = x.strides[0]
    sums = empty(DOWN, PANEL, np.float32)
    out = np.uintp(sums.ctypes.data)
    least = np.float32(product.least)
    for panel in range(product.weight.shape[1]):
        first = panel * PANEL
        weight = np.uintp(product.weight[layer, panel].ctypes.data)
        start = np.uintp(product.bias[layer, first:].ctypes.data)
        row = 0
        while row < rows:
            count = rows_at_once(rows - row)
            _sums(count, np.uintp(x[row:].ctypes.data), stride, weight, inputs, start, out)
            for r in range(count):
                total, given = sums[r], y[row + r, first : first + PANEL]
                for n in range(given.shape[0]):
                    given[n] = max(least, total[n])
            row += count
