"""GEMM of bfloat16 or float32 that is rounded to 8-bit integers: a linear map and its gradients.

A CPU with VNNI adds up twice as many products of bytes in a step as of bfloat16. It is blocked as `gemm_float32` is,
but for a weight's gradient: there all rows are summed over at once, as each column has one scale.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of PANEL, and none is above LONGEST.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.hardware import VNNI, cpu_features, may_use_tiles
from polyhead.kernels.arrays.bounds import (
    require,
    require_input_gradient,
    require_product,
    require_same,
    require_weight_gradient,
)
from polyhead.kernels.arrays.unowned import floats_at
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import Epilogue, add_bias, add_bias_and_relu, gate, unchanged
from polyhead.kernels.microkernels.int8 import FOUR, Right, panel_of, product_of_bytes
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.microkernels.row_counts import MOST
from polyhead.kernels.microkernels.simd import NUMBER, EpilogueInput, LeftOperand, no_input
from polyhead.kernels.numbers.formats import Numbers, round_all
from polyhead.kernels.packing.pack_int8 import steps_of, take_columns, take_rows, transpose_columns, transpose_rows

Workspace = NDArray[np.uint8]

CACHED = 1 << 18
"""Bytes of the left operand that stay in a core's own cache, beside a panel."""
LONGEST = 1 << 17
"""The most numbers that are summed over: 32 bits hold the sum of so many products of two bytes."""


def is_supported() -> bool:
    """Whether this CPU has VNNI, and no AMX, which `gemm_amx` is for."""
    return bool(VNNI & cpu_features()) and not may_use_tiles()


def workspace_bytes(rows: int, inputs: int, outputs: int) -> int:
    """How many bytes the kernels below need to work in."""
    widest = max(inputs, outputs)
    of_weight = inputs * outputs + max(CACHED + NUMBER * CACHED // PANEL, (MOST + PANEL) * widest)
    of_gradient = FOUR * -(-rows // FOUR) * (inputs + outputs)
    return max(of_weight, of_gradient) + 6 * NUMBER * widest


@kernel
def _right(columns: int, steps: int, workspace: int) -> Right:
    """A right operand of so many columns, and steps of FOUR numbers, at the beginning of the workspace."""
    starts = workspace + FOUR * steps * columns
    return Right(workspace, steps, starts, starts + NUMBER * columns)


@kernel
def _behind(right: Right, columns: int) -> int:
    """The address behind a right operand of so many columns."""
    return right.scales + NUMBER * columns


def _product(epilogue: Epilogue) -> Any:
    """The kernel that multiplies a matrix by all panels, for one epilogue."""
    multiply = product_of_bytes(epilogue)

    @kernel
    def product(left: Numbers, right: Right, inputs: EpilogueInput, out: Numbers, workspace: int) -> None:
        """left [N, K], which is rounded on the way, times the right operand → out [N, ..]."""
        (rows, width), columns, (out_row,), size = left.shape, out.shape[1], out.strides[:1], out.itemsize
        some = max(MOST, CACHED // width // MOST * MOST)
        scales = workspace + some * width
        for first in range(0, rows, some):
            count = min(some, rows - first)
            take_rows(left, first, count, workspace, scales)
            some_rows, to = LeftOperand(workspace, width, 0), out.ctypes.data + first * out_row
            for n in range(0, columns, PANEL):
                here = EpilogueInput(inputs.place + first * inputs.row + size * n, inputs.row, inputs.factor)
                multiply(some_rows, scales, count, panel_of(right, n), here, out, to + size * n)

    return product


_with_bias, _with_bias_and_relu = _product(add_bias), _product(add_bias_and_relu)
_plain, _gated = _product(unchanged), _product(gate)
_transposed = product_of_bytes(unchanged, transposed=True)


@kernel
def linear(x: Numbers, weight: Numbers, bias: Numbers, relu: bool, out: Numbers, workspace: Workspace) -> None:
    """x [N, K] weight [M, K]ᵀ + bias [M], and its ReLU where `relu` says so → out [N, M]."""
    require_product(x, weight, out)
    require(bias.shape[0] == weight.shape[0])
    outputs, inputs = weight.shape
    right = _right(outputs, inputs // FOUR, workspace.ctypes.data)
    of_bias = EpilogueInput(bias.ctypes.data, 0, np.float32(1))
    rest = _behind(right, outputs)
    transpose_rows(weight, right, rest)
    if relu:
        _with_bias_and_relu(x, right, of_bias, out, rest)
    else:
        _with_bias(x, right, of_bias, out, rest)


@kernel
def _pack_columns(x: Numbers, workspace: int) -> Right:
    """x [N, K] as a right operand, at the beginning of the workspace."""
    right = _right(x.shape[1], steps_of(x.shape[0]), workspace)
    take_columns(x, right)
    return right


@kernel
def input_gradient(gradient: Numbers, weight: Numbers, out: Numbers, workspace: Workspace) -> None:
    """gradient [N, M] weight [M, K] → out [N, K]."""
    require_input_gradient(gradient, weight, out)
    right = _pack_columns(weight, workspace.ctypes.data)
    _plain(gradient, right, no_input(out.ctypes.data), out, _behind(right, weight.shape[1]))


@kernel
def gated_gradient(
    gradient: Numbers, weight: Numbers, passed: Numbers, scale: float, out: Numbers, workspace: Workspace
) -> None:
    """The same times `scale` where passed [N, K], what a ReLU and a dropout gave, is not 0; else 0."""
    require_input_gradient(gradient, weight, out)
    require_same(passed, out)
    right = _pack_columns(weight, workspace.ctypes.data)
    inputs = EpilogueInput(passed.ctypes.data, passed.strides[0], np.float32(scale))
    _gated(gradient, right, inputs, out, _behind(right, weight.shape[1]))


@kernel
def weight_gradient(gradient: Numbers, x: Numbers, out: Numbers, total: Numbers, workspace: Workspace) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the sum of the gradient's rows, made in float32 → total [M]."""
    require_weight_gradient(gradient, x, out, total)
    outputs, inputs = out.shape
    if x.shape[0] == 0:
        out[:] = 0
        total[:] = 0
        return
    right = _pack_columns(x, workspace.ctypes.data)
    size = FOUR * right.steps
    scales = _behind(right, inputs)
    sums, left = scales + NUMBER * outputs, scales + 2 * NUMBER * outputs
    transpose_columns(gradient, left, scales, sums)
    round_all(floats_at(sums, outputs), total)
    for m in range(0, outputs, PANEL):
        some_rows, of_rows, place = LeftOperand(left + size * m, FOUR, 0), scales + NUMBER * m, out[m:].ctypes.data
        for k in range(0, inputs, PANEL):
            to = place + out.itemsize * k
            _transposed(some_rows, of_rows, PANEL, panel_of(right, k), no_input(to), out, to)
