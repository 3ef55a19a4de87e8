"""The three products of a linear map, and what else its passes do with them, on a core's unit for matrices.

As many columns of the right factor as fit in a core's own cache are put into squares first, and all rows pass by them.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of BLOCK, and N is BLOCK at least.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.bounds import (
    require,
    require_input_gradient,
    require_product,
    require_same,
    require_weight_gradient,
)
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import BYTES, ROWS, close_tiles, open_tiles
from polyhead.kernels.microkernels.amx_gemm import (
    BLOCK,
    LeftTiles,
    TileEpilogueInput,
    Written,
    bytes_for,
    next_of,
    product_of,
)
from polyhead.kernels.microkernels.epilogue import Finish, activated, added, gated, plain, rounded
from polyhead.kernels.microkernels.tiles import SQUARE
from polyhead.kernels.numbers.bfloat16 import Halves
from polyhead.kernels.packing.pack_tiles import (
    CACHED,
    columns_at_once,
    mix_columns,
    rows_of,
    transpose_columns,
    transpose_rows,
    unseen,
)

Workspace = NDArray[np.uint8]


def workspace_bytes(rows: int, inputs: int, outputs: int) -> int:
    """Bytes that these work in."""
    depth = -(-rows // BLOCK) * BLOCK
    right = max(CACHED, 2 * BLOCK * max(depth, inputs, outputs))
    return right + bytes_for(max(inputs, outputs)) + 2 * outputs * depth


def _product(put_in_squares: Any, finish: Finish) -> Any:
    """The kernel of a product with a matrix, of which as many columns as the cache holds are put in squares at once."""
    multiply = product_of(finish)

    @kernel
    def product(
        left: LeftTiles,
        rows: int,
        right: Halves,
        columns: int,
        steps: int,
        seen: TileEpilogueInput,
        out: Halves,
        room: int,
    ) -> None:
        group = columns_at_once(columns, steps)
        work = room + group * steps * BYTES
        open_tiles(ROWS)
        for first in range(0, columns, group):
            count = min(group, columns - first)
            put_in_squares(right, first, count, steps, room)
            beside = TileEpilogueInput(seen.place + 2 * first, seen.row, seen.block, seen.factor)
            there = Written(out.ctypes.data + 2 * first, out.strides[0], BYTES)
            multiply(left, rows, room, count, steps, beside, there, work, next_of(left))
        close_tiles()

    return product


_with_bias, _with_bias_and_relu = _product(transpose_rows, rounded(added)), _product(transpose_rows, rounded(activated))
_with_columns, _with_columns_gated = _product(mix_columns, plain), _product(mix_columns, rounded(gated))


@kernel
def linear(x: Halves, weight: Halves, bias: Halves, then_activated: bool, out: Halves, room: Workspace) -> None:
    """x [N, K] Wᵀ + b, of weight [M, K] and bias [M], and then ReLU if asked for → out [N, M]."""
    require_product(x, weight, out)
    require(bias.shape[0] == weight.shape[0])
    (rows, inputs), outputs, seen = x.shape, weight.shape[0], TileEpilogueInput(bias.ctypes.data, 0, BYTES, 1.0)
    if then_activated:
        _with_bias_and_relu(rows_of(x), rows, weight, outputs, inputs // BLOCK, seen, out, room.ctypes.data)
    else:
        _with_bias(rows_of(x), rows, weight, outputs, inputs // BLOCK, seen, out, room.ctypes.data)


@kernel
def input_gradient(gradient: Halves, weight: Halves, out: Halves, room: Workspace) -> None:
    """gradient [N, M] W → out [N, K]."""
    require_input_gradient(gradient, weight, out)
    (rows, outputs), inputs = gradient.shape, weight.shape[1]
    given, steps = rows_of(gradient), outputs // BLOCK
    _with_columns(given, rows, weight, inputs, steps, unseen(weight), out, room.ctypes.data)


@kernel
def gated_gradient(
    gradient: Halves, weight: Halves, passed: Halves, scale: float, out: Halves, room: Workspace
) -> None:
    """The same, scaled where a ReLU and what came after it gave more than 0, passed [N, K], else 0."""
    require_input_gradient(gradient, weight, out)
    require_same(passed, out)
    (rows, outputs), inputs = gradient.shape, weight.shape[1]
    given, seen = rows_of(gradient), TileEpilogueInput(passed.ctypes.data, passed.strides[0], BYTES, scale)
    _with_columns_gated(given, rows, weight, inputs, outputs // BLOCK, seen, out, room.ctypes.data)


@kernel
def weight_gradient(gradient: Halves, x: Halves, out: Halves, total: Halves, room: Workspace) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the gradient's rows, added up in float32 → total [M]."""
    require_weight_gradient(gradient, x, out, total)
    (rows, outputs), inputs = gradient.shape, x.shape[1]
    steps = (rows + BLOCK - 1) // BLOCK
    turned = outputs * steps * BYTES
    squares = turned + columns_at_once(inputs, steps) * steps * BYTES
    left = room.ctypes.data
    transpose_columns(gradient, steps, left, total)
    room[turned:squares] = 0  # behind the last row
    given = LeftTiles(left, BYTES, SQUARE, 2 * SQUARE, steps * BYTES)
    _with_columns(given, outputs, x, inputs, steps, unseen(x), out, left + turned)
