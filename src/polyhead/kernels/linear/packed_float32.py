"""Linear maps with packed weights in float32, for translating.

Shapes: R rows, K inputs and N outputs of a product, L layers.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.aligned import empty
from polyhead.kernels.arrays.bounds import require
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.registers import MR, PANEL, float32_microkernel
from polyhead.kernels.microkernels.row_counts import switch_on_count
from polyhead.kernels.threads.team import Board, members, shared

Floats = NDArray[np.float32]
_product = switch_on_count(float32_microkernel, range(MR, 0, -1))
"""A microkernel for each number of rows: weights are read once for all the rows of a beam."""


class Float32Weights(NamedTuple):
    """The weights of one linear map in each of L layers, N filled up to whole panels."""

    weight: Floats
    """[L, panels, K, PANEL]: in the order in which they are read."""
    bias: Floats
    """[L, panels · PANEL]."""
    least: float
    """Where outputs are cut off: 0 for a ReLU, else -∞."""


@kernel
def _panels(member: int, first: int, last: int, given: Any) -> None:
    """Computes panels first … last - 1 of a product, as a member of a team."""
    x, sums_of_members, product, layer, y = given
    rows, inputs = x.shape
    sums = sums_of_members[member]
    out, least = np.uintp(sums.ctypes.data), np.float32(product.least)
    for panel in range(first, last):
        begin = panel * PANEL
        weight = np.uintp(product.weight[layer, panel].ctypes.data)
        start = np.uintp(product.bias[layer, begin:].ctypes.data)
        row = 0
        while row < rows:
            count = min(rows - row, MR)
            _product(count, np.uintp(x[row:].ctypes.data), x.strides[0], weight, inputs, start, out)
            for r in range(count):
                total, to = sums[r], y[row + r, begin : begin + PANEL]
                for n in range(to.shape[0]):
                    to[n] = max(least, total[n])
            row += count


_all_panels = shared(_panels)


@kernel
def multiply(x: Floats, product: Float32Weights, layer: int, y: Floats, board: Board) -> None:
    """x [R, K] → y [R, N] = max(x Wᵀ + b, least), with W and b of one layer, by the board's team."""
    require(product.weight.shape[2] == x.shape[1] and product.bias.shape[1] == product.weight.shape[1] * PANEL)
    require(y.shape[0] == x.shape[0] and y.shape[1] <= product.bias.shape[1])
    sums = empty(members(board) * MR, PANEL, np.float32).reshape((members(board), MR, PANEL))
    _all_panels(board, product.weight.shape[1], (x, sums, product, layer, y))
