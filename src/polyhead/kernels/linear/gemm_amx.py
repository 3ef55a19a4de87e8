"""GEMM of bfloat16 on AMX, a core's unit for matrices: a linear map and its gradients.

It stands apart from the GEMMs in vectors, as there it is the left operand of which a part stays in a core's own cache:
here as many columns of the right one as fit in it are packed into tiles, and all rows pass by them.
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
from polyhead.kernels.microkernels.epilogue import RowEpilogue, add_bias, add_bias_and_relu, gate, plain, rounded
from polyhead.kernels.microkernels.tiles import SQUARE
from polyhead.kernels.numbers.bfloat16 import Halves
from polyhead.kernels.packing.pack_tiles import (
    CACHED,
    columns_at_once,
    mix_columns,
    no_input,
    rows_of,
    transpose_columns,
    transpose_rows,
)

Workspace = NDArray[np.uint8]


def workspace_bytes(rows: int, inputs: int, outputs: int) -> int:
    """How many bytes the kernels below need to work in."""
    depth = -(-rows // BLOCK) * BLOCK
    right = max(CACHED, 2 * BLOCK * max(depth, inputs, outputs))
    return right + bytes_for(max(inputs, outputs)) + 2 * outputs * depth


def _product(pack: Any, epilogue: RowEpilogue) -> Any:
    """The kernel that multiplies a matrix by another one, for one epilogue; `pack` packs some of its columns."""
    multiply = product_of(epilogue)

    @kernel
    def product(
        left: LeftTiles,
        rows: int,
        right: Halves,
        columns: int,
        steps: int,
        inputs: TileEpilogueInput,
        out: Halves,
        workspace: int,
    ) -> None:
        group = columns_at_once(columns, steps)
        work = workspace + group * steps * BYTES
        open_tiles(ROWS)
        for first in range(0, columns, group):
            count = min(group, columns - first)
            pack(right, first, count, steps, workspace)
            here = TileEpilogueInput(inputs.place + 2 * first, inputs.row, inputs.block, inputs.factor)
            there = Written(out.ctypes.data + 2 * first, out.strides[0], BYTES)
            multiply(left, rows, workspace, count, steps, here, there, work, next_of(left))
        close_tiles()

    return product


_with_bias = _product(transpose_rows, rounded(add_bias))
_with_bias_and_relu = _product(transpose_rows, rounded(add_bias_and_relu))
_with_columns, _with_columns_gated = _product(mix_columns, plain), _product(mix_columns, rounded(gate))


@kernel
def linear(x: Halves, weight: Halves, bias: Halves, relu: bool, out: Halves, workspace: Workspace) -> None:
    """x [N, K] weight [M, K]ᵀ + bias [M], and its ReLU where `relu` says so → out [N, M]."""
    require_product(x, weight, out)
    require(bias.shape[0] == weight.shape[0])
    (rows, inputs), outputs, of_bias = x.shape, weight.shape[0], TileEpilogueInput(bias.ctypes.data, 0, BYTES, 1.0)
    if relu:
        _with_bias_and_relu(rows_of(x), rows, weight, outputs, inputs // BLOCK, of_bias, out, workspace.ctypes.data)
    else:
        _with_bias(rows_of(x), rows, weight, outputs, inputs // BLOCK, of_bias, out, workspace.ctypes.data)


@kernel
def input_gradient(gradient: Halves, weight: Halves, out: Halves, workspace: Workspace) -> None:
    """gradient [N, M] weight [M, K] → out [N, K]."""
    require_input_gradient(gradient, weight, out)
    (rows, outputs), inputs = gradient.shape, weight.shape[1]
    left, steps = rows_of(gradient), outputs // BLOCK
    _with_columns(left, rows, weight, inputs, steps, no_input(weight), out, workspace.ctypes.data)


@kernel
def gated_gradient(
    gradient: Halves, weight: Halves, passed: Halves, scale: float, out: Halves, workspace: Workspace
) -> None:
    """The same times `scale` where passed [N, K], what a ReLU and a dropout gave, is not 0; else 0."""
    require_input_gradient(gradient, weight, out)
    require_same(passed, out)
    (rows, outputs), inputs = gradient.shape, weight.shape[1]
    left, of_gate = rows_of(gradient), TileEpilogueInput(passed.ctypes.data, passed.strides[0], BYTES, scale)
    _with_columns_gated(left, rows, weight, inputs, outputs // BLOCK, of_gate, out, workspace.ctypes.data)


@kernel
def weight_gradient(gradient: Halves, x: Halves, out: Halves, total: Halves, workspace: Workspace) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the sum of the gradient's rows, made in float32 → total [M]."""
    require_weight_gradient(gradient, x, out, total)
    (rows, outputs), inputs = gradient.shape, x.shape[1]
    steps = (rows + BLOCK - 1) // BLOCK
    transposed = outputs * steps * BYTES
    squares = transposed + columns_at_once(inputs, steps) * steps * BYTES
    left = workspace.ctypes.data
    transpose_columns(gradient, steps, left, total)
    workspace[transposed:squares] = 0  # behind the last row
    left_rows = LeftTiles(left, BYTES, SQUARE, 2 * SQUARE, steps * BYTES)
    _with_columns(left_rows, outputs, x, inputs, steps, no_input(x), out, left + transposed)
