"""The three products of a linear map as `gemm` has them, of numbers that are rounded to whole ones of 8 bits.

A CPU with VNNI adds up twice as many products of them in a step as of bfloat16.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of PANEL, and none is above LONGEST.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.hardware import cpu_features, may_use_tiles
from polyhead.kernels.arrays.bounds import (
    require,
    require_input_gradient,
    require_product,
    require_same,
    require_weight_gradient,
)
from polyhead.kernels.arrays.unowned import floats_at
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import Operation, activated, added, as_they_are, gated
from polyhead.kernels.microkernels.int8 import FOUR, Right, panel_of, product_of_bytes
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.microkernels.row_counts import MOST
from polyhead.kernels.microkernels.simd import NUMBER, EpilogueInput, LeftOperand, unseen
from polyhead.kernels.numbers.formats import Numbers, round_all
from polyhead.kernels.packing.pack_int8 import steps_of, take_columns, take_rows, transpose_columns, transpose_rows

Workspace = NDArray[np.uint8]

CACHED = 1 << 18
"""Bytes of the left factor that stay in a core's own cache, beside a panel."""
LONGEST = 1 << 17
"""Numbers whose products are added up: 32 bits hold so many of two bytes."""


def is_supported() -> bool:
    """Whether this CPU multiplies bytes faster than bfloat16 and has no unit for matrices, which `gemm` is for."""
    return bool({"avx512_vnni", "avx_vnni"} & cpu_features()) and not may_use_tiles()


def workspace_bytes(rows: int, inputs: int, outputs: int) -> int:
    """Bytes that these work in."""
    widest = max(inputs, outputs)
    of_weight = inputs * outputs + max(CACHED + NUMBER * CACHED // PANEL, (MOST + PANEL) * widest)
    of_gradient = FOUR * -(-rows // FOUR) * (inputs + outputs)
    return max(of_weight, of_gradient) + 6 * NUMBER * widest


@kernel
def _right(columns: int, steps: int, room: int) -> Right:
    """A right factor in that room."""
    starts = room + FOUR * steps * columns
    return Right(room, steps, starts, starts + NUMBER * columns)


@kernel
def _behind(right: Right, columns: int) -> int:
    """What is left of the room."""
    return right.scales + NUMBER * columns


def _product(finish: Operation) -> Any:
    """The kernel of a product with panels."""
    multiply = product_of_bytes(finish)

    @kernel
    def product(left: Numbers, right: Right, seen: EpilogueInput, out: Numbers, room: int) -> None:
        (rows, width), columns, (out_row,), size = left.shape, out.shape[1], out.strides[:1], out.itemsize
        some = max(MOST, CACHED // width // MOST * MOST)
        scales = room + some * width
        for first in range(0, rows, some):
            count = min(some, rows - first)
            take_rows(left, first, count, room, scales)
            given, to, beside = (
                LeftOperand(room, width, 0),
                out.ctypes.data + first * out_row,
                seen.place + first * seen.row,
            )
            for n in range(0, columns, PANEL):
                place = EpilogueInput(beside + size * n, seen.row, seen.factor)
                multiply(given, scales, count, panel_of(right, n), place, out, to + size * n)

    return product


_with_bias, _with_bias_and_relu = _product(added), _product(activated)
_plain, _gated = _product(as_they_are), _product(gated)
_turned = product_of_bytes(as_they_are, turned=True)


@kernel
def linear(x: Numbers, weight: Numbers, bias: Numbers, then_activated: bool, out: Numbers, room: Workspace) -> None:
    """x [N, K] Wᵀ + b, of weight [M, K] and bias [M], and then ReLU if asked for → out [N, M]."""
    require_product(x, weight, out)
    require(bias.shape[0] == weight.shape[0])
    outputs, inputs = weight.shape
    right, seen = _right(outputs, inputs // FOUR, room.ctypes.data), EpilogueInput(bias.ctypes.data, 0, np.float32(1))
    rest = _behind(right, outputs)
    transpose_rows(weight, right, rest)
    if then_activated:
        _with_bias_and_relu(x, right, seen, out, rest)
    else:
        _with_bias(x, right, seen, out, rest)


@kernel
def _columns(x: Numbers, room: int) -> Right:
    """A right factor, in that room."""
    right = _right(x.shape[1], steps_of(x.shape[0]), room)
    take_columns(x, right)
    return right


@kernel
def input_gradient(gradient: Numbers, weight: Numbers, out: Numbers, room: Workspace) -> None:
    """gradient [N, M] W → out [N, K]."""
    require_input_gradient(gradient, weight, out)
    right = _columns(weight, room.ctypes.data)
    _plain(gradient, right, unseen(out.ctypes.data), out, _behind(right, weight.shape[1]))


@kernel
def gated_gradient(
    gradient: Numbers, weight: Numbers, passed: Numbers, scale: float, out: Numbers, room: Workspace
) -> None:
    """The same, scaled where a ReLU and what came after it gave more than 0, passed [N, K], else 0."""
    require_input_gradient(gradient, weight, out)
    require_same(passed, out)
    right, seen = (
        _columns(weight, room.ctypes.data),
        EpilogueInput(passed.ctypes.data, passed.strides[0], np.float32(scale)),
    )
    _gated(gradient, right, seen, out, _behind(right, weight.shape[1]))


@kernel
def weight_gradient(gradient: Numbers, x: Numbers, out: Numbers, total: Numbers, room: Workspace) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the gradient's rows, added up in float32 → total [M]."""
    require_weight_gradient(gradient, x, out, total)
    outputs, inputs = out.shape
    if x.shape[0] == 0:
        out[:] = 0
        total[:] = 0
        return
    right = _columns(x, room.ctypes.data)
    size = FOUR * right.steps
    scales = _behind(right, inputs)
    sums, left = scales + NUMBER * outputs, scales + 2 * NUMBER * outputs
    transpose_columns(gradient, left, scales, sums)
    round_all(floats_at(sums, outputs), total)
    for m in range(0, outputs, PANEL):
        given, of_rows, place = LeftOperand(left + size * m, FOUR, 0), scales + NUMBER * m, out[m:].ctypes.data
        for k in range(0, inputs, PANEL):
            to = place + out.itemsize * k
            _turned(given, of_rows, PANEL, panel_of(right, k), unseen(to), out, to)
