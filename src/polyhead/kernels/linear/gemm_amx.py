"""GEMM of bfloat16 on AMX, a core's unit for matrices.

Here it is the right operand of which a part stays in a core's own cache: as many of its columns as fit in it are packed
into tiles, and all rows pass by them. So a right operand is packed while it is multiplied, and not before.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of BLOCK, and N is BLOCK at least.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import ROW_BYTES, ROWS, close_tiles, open_tiles
from polyhead.kernels.microkernels.amx_gemm import (
    BLOCK,
    LeftTiles,
    OutputTiles,
    TileEpilogueInput,
    prefetched_rows,
    product_workspace_bytes,
)
from polyhead.kernels.microkernels.amx_gemm import product_of as microkernel_of
from polyhead.kernels.microkernels.epilogue import Epilogue, identity, on_bfloat16_row
from polyhead.kernels.microkernels.simd import EpilogueInput, no_input
from polyhead.kernels.microkernels.tiles import TILE_BYTES
from polyhead.kernels.numbers.bfloat16 import BFloat16s
from polyhead.kernels.packing.pack_tiles import (
    CACHED,
    columns_at_once,
    left_rows,
    pack_left_columns,
    pack_right_columns,
    pack_right_rows,
)
from polyhead.kernels.part import by_class

Workspace = NDArray[np.uint8]


class BFloat16(NamedTuple):
    """The arithmetic of bfloat16 whose products are multiplied in tiles and added up in float32."""


class _Rows(NamedTuple):
    """A right operand whose columns are the rows of a matrix."""

    matrix: BFloat16s


class _Columns(NamedTuple):
    """A right operand whose columns are those of a matrix."""

    matrix: BFloat16s


def workspace_bytes(rows: int, inputs: int, outputs: int) -> int:
    """How many bytes the kernels below need to work in."""
    depth = -(-rows // BLOCK) * BLOCK
    right = max(CACHED, 2 * BLOCK * max(depth, inputs, outputs))
    return right + product_workspace_bytes(max(inputs, outputs)) + 2 * outputs * depth


@kernel
def takes(rows: int, inputs: int, outputs: int) -> bool:
    """Whether the loops below take matrices of these sizes."""
    return inputs % BLOCK == 0 and outputs % BLOCK == 0 and rows >= BLOCK


@kernel
def pack_rows(x: BFloat16s, workspace: Workspace) -> Any:
    """x [M, K], whose rows become columns → the right operand, which is packed later, and the workspace's address."""
    return _Rows(x), workspace.ctypes.data


@kernel
def pack_columns(x: BFloat16s, workspace: Workspace) -> Any:
    """x [N, K], whose columns stay columns → the right operand, which is packed later, and the workspace's address."""
    return _Columns(x), workspace.ctypes.data


_pack = by_class({_Rows: pack_right_rows, _Columns: pack_right_columns})


def product_of(epilogue: Epilogue) -> Any:
    """The kernel that multiplies a matrix by a right operand, for one epilogue."""
    multiply = _product_of_tiles(epilogue)

    @kernel
    def product(left: BFloat16s, right: Any, inputs: EpilogueInput, out: BFloat16s, workspace: int) -> None:
        """left [N, K] times the right operand → out [N, ..]."""
        multiply(left_rows(left), left.shape[0], right, left.shape[1] // BLOCK, inputs, out, workspace)

    return product


def _product_of_tiles(epilogue: Epilogue) -> Any:
    """The kernel that multiplies a left operand in tiles, or rows read as if they were tiles, by a right operand."""
    multiply, block = microkernel_of(on_bfloat16_row(epilogue)), 0 if epilogue is identity else ROW_BYTES

    @kernel
    def product(
        left: LeftTiles, rows: int, right: Any, steps: int, inputs: EpilogueInput, out: BFloat16s, workspace: int
    ) -> None:
        columns = out.shape[1]
        group = columns_at_once(columns, steps)
        work = workspace + group * steps * ROW_BYTES
        open_tiles(ROWS)
        for first in range(0, columns, group):
            count = min(group, columns - first)
            _pack(right, right.matrix, first, count, steps, workspace)
            here = TileEpilogueInput(inputs.address + 2 * first, inputs.stride, block, inputs.factor)
            there = OutputTiles(out.ctypes.data + 2 * first, out.strides[0], ROW_BYTES)
            multiply(left, rows, workspace, count, steps, here, there, work, prefetched_rows(left))
        close_tiles()

    return product


_transposed_product = _product_of_tiles(identity)


@kernel
def weight_gradient(gradient: BFloat16s, x: BFloat16s, out: BFloat16s, total: BFloat16s, workspace: Workspace) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the sum of the gradient's rows, made in float32 → total [M]."""
    (rows, outputs), inputs = gradient.shape, x.shape[1]
    steps = (rows + BLOCK - 1) // BLOCK
    transposed = outputs * steps * ROW_BYTES
    end = transposed + columns_at_once(inputs, steps) * steps * ROW_BYTES
    left = workspace.ctypes.data
    pack_left_columns(gradient, steps, left, total)
    workspace[transposed:end] = 0  # behind the last row
    left_rows = LeftTiles(left, ROW_BYTES, TILE_BYTES, 2 * TILE_BYTES, steps * ROW_BYTES)
    _transposed_product(left_rows, outputs, _Columns(x), steps, no_input(x.ctypes.data), out, left + transposed)
