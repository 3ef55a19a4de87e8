"""Linear maps of every precision that there are kernels for."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compiler import WITHIN, overload
from polyhead.kernels.kernel import kernel
from polyhead.kernels.linear import packed_float32, packed_int8
from polyhead.kernels.threads.team import Board

Floats = NDArray[np.float32]
PackedWeights = packed_int8.Int8Weights | packed_float32.Float32Weights
KINDS: dict[type, Callable[..., None]] = {
    packed_int8.Int8Weights: packed_int8.multiply,
    packed_float32.Float32Weights: packed_float32.multiply,
}


@kernel
def multiply(x: Floats, product: PackedWeights, layer: int, y: Floats, board: Board) -> None:
    """x [R, K] → y [R, N] = max(x Wᵀ + b, least), by the board's team."""
    _multiply_as_its_kind(x, product, layer, y, board)


def _multiply_as_its_kind(x: Floats, product: PackedWeights, layer: int, y: Floats, board: Board) -> None:
    """In a kernel the kind is known when it is compiled: each precision has layers of its own."""
    KINDS[type(product)](x, product, layer, y, board)


@overload(_multiply_as_its_kind, strict=False, jit_options=WITHIN)  # the signatures differ, in annotations alone
def _of_kind(x: Any, product: Any, layer: Any, y: Any, board: Any) -> Callable[..., None]:
    function = KINDS[product.instance_class]

    def chosen(x: Any, product: Any, layer: Any, y: Any, board: Any) -> None:
        function(x, product, layer, y, board)

    return chosen
