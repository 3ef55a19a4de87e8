"""GEMM of bfloat16 or float32 that is rounded to 8-bit integers, on VNNI and on AVX2.

A CPU with VNNI adds up twice as many products of bytes in a step as of bfloat16, AVX2 twice as many as of float32. It
is blocked as `gemm_float32` is, but for a weight's gradient: there all rows are summed over at once, as each column
has one scale.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of PANEL, and none is above LONGEST.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.hardware import VNNI, cpu_features, may_use_tiles
from polyhead.kernels.arrays.unowned import float32_at
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import Epilogue, identity
from polyhead.kernels.microkernels.int8 import FOUR, Int8RightOperand, panel_of
from polyhead.kernels.microkernels.int8 import product_of as microkernel_of
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.microkernels.row_counts import MOST_ROWS
from polyhead.kernels.microkernels.simd import FLOAT_BYTES, EpilogueInput, LeftOperand, no_input
from polyhead.kernels.numbers.formats import Numbers, round_all
from polyhead.kernels.packing.pack_int8 import (
    pack_left_columns,
    pack_left_rows,
    pack_right_columns,
    pack_right_rows,
    steps_of,
)

Workspace = NDArray[np.uint8]

CACHED = 1 << 18
"""Bytes of the left operand that stay in a core's own cache, beside a panel."""
LONGEST = 1 << 17
"""The most numbers that are summed over: 32 bits hold the sum of so many products of two bytes."""


class Int8(NamedTuple):
    """The arithmetic of operands rounded to 8-bit integers, whose results are bfloat16 or float32."""


def is_supported() -> bool:
    """Whether this CPU has VNNI, or AVX2 and no AVX-512, and no AMX, which `gemm_amx` is for."""
    found = cpu_features()
    return (bool(VNNI & found) or ("avx2" in found and "avx512_f" not in found)) and not may_use_tiles()


def workspace_bytes(rows: int, inputs: int, outputs: int) -> int:
    """How many bytes the kernels below need to work in."""
    widest = max(inputs, outputs)
    of_weight = inputs * outputs + max(CACHED + FLOAT_BYTES * CACHED // PANEL, (MOST_ROWS + PANEL) * widest)
    of_gradient = FOUR * -(-rows // FOUR) * (inputs + outputs)
    return max(of_weight, of_gradient) + 6 * FLOAT_BYTES * widest


@kernel
def takes(rows: int, inputs: int, outputs: int) -> bool:
    """Whether the loops below take matrices of these sizes."""
    return inputs % PANEL == 0 and outputs % PANEL == 0 and max(rows, inputs, outputs) <= LONGEST


@kernel
def _right(columns: int, steps: int, workspace: int) -> Int8RightOperand:
    """A right operand of so many columns, and steps of FOUR numbers, at the beginning of the workspace."""
    starts = workspace + FOUR * steps * columns
    return Int8RightOperand(workspace, steps, starts, starts + FLOAT_BYTES * columns)


@kernel
def _behind(right: Int8RightOperand, columns: int) -> int:
    """The address behind a right operand of so many columns."""
    return right.scales + FLOAT_BYTES * columns


def product_of(epilogue: Epilogue) -> Any:
    """The kernel that multiplies a matrix by all panels, for one epilogue."""
    multiply = microkernel_of(epilogue)

    @kernel
    def product(left: Numbers, right: Int8RightOperand, inputs: EpilogueInput, out: Numbers, workspace: int) -> None:
        """left [N, K], which is rounded on the way, times the right operand → out [N, ..]."""
        (rows, width), columns, (out_stride,), size = left.shape, out.shape[1], out.strides[:1], out.itemsize
        some = max(MOST_ROWS, CACHED // width // MOST_ROWS * MOST_ROWS)
        scales = workspace + some * width
        for first in range(0, rows, some):
            count = min(some, rows - first)
            pack_left_rows(left, first, count, workspace, scales)
            some_rows, to = LeftOperand(workspace, width, 0), out.ctypes.data + first * out_stride
            for n in range(0, columns, PANEL):
                here = EpilogueInput(inputs.address + first * inputs.stride + size * n, inputs.stride, inputs.factor)
                multiply(some_rows, scales, count, panel_of(right, n), here, out, to + size * n)

    return product


_transposed_product = microkernel_of(identity, transposed=True)


@kernel
def pack_rows(x: Numbers, workspace: Workspace) -> Any:
    """x [M, K], whose rows become columns → the right operand, and the address behind it."""
    outputs, inputs = x.shape
    right = _right(outputs, inputs // FOUR, workspace.ctypes.data)
    rest = _behind(right, outputs)
    pack_right_rows(x, right, rest)
    return right, rest


@kernel
def pack_columns(x: Numbers, workspace: Workspace) -> Any:
    """x [N, K], whose columns stay columns → the right operand, and the address behind it."""
    right = _right(x.shape[1], steps_of(x.shape[0]), workspace.ctypes.data)
    pack_right_columns(x, right)
    return right, _behind(right, x.shape[1])


@kernel
def weight_gradient(gradient: Numbers, x: Numbers, out: Numbers, total: Numbers, workspace: Workspace) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the sum of the gradient's rows, made in float32 → total [M]."""
    outputs, inputs = out.shape
    if x.shape[0] == 0:
        out[:] = 0
        total[:] = 0
        return
    right, scales = pack_columns(x, workspace)
    size = FOUR * right.steps
    sums, left = scales + FLOAT_BYTES * outputs, scales + 2 * FLOAT_BYTES * outputs
    pack_left_columns(gradient, left, scales, sums)
    round_all(float32_at(sums, outputs), total)
    for m in range(0, outputs, PANEL):
        some_rows, of_rows, place = LeftOperand(left + size * m, FOUR, 0), scales + FLOAT_BYTES * m, out[m:].ctypes.data
        for k in range(0, inputs, PANEL):
            to = place + out.itemsize * k
            _transposed_product(some_rows, of_rows, PANEL, panel_of(right, k), no_input(to), out, to)
