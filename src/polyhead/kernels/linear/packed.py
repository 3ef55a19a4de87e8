"""Products with packed weights, for translating, of every precision that there are kernels for."""

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.linear import packed_float32, packed_int8
from polyhead.kernels.linear.packed_float32 import Float32Weights
from polyhead.kernels.linear.packed_int8 import Int8Weights
from polyhead.kernels.part import by_class
from polyhead.kernels.threads.team import Board

Floats = NDArray[np.float32]
PackedWeights = Int8Weights | Float32Weights
_multiply = by_class({Int8Weights: packed_int8.multiply, Float32Weights: packed_float32.multiply})


@kernel
def multiply(x: Floats, product: PackedWeights, layer: int, y: Floats, board: Board) -> None:
    """x [R, K] → y [R, N] = max(x Wᵀ + b, least), with W and b of one layer, by the board's team."""
    _multiply(product, x, product, layer, y, board)
