"""The three products of a linear map as `gemm_float32` has them, of float32 that is rounded to whole numbers.

Every row and column that is added up over has a scale of its own, so that a product is as near as with some ten bits
of a number. A CPU with AVX2 adds up twice as many products of whole numbers in a step as of float32.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of PAIRED.
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
from polyhead.kernels.linear.gemm_float32 import CACHED, ROWS, WHOLE, columns_cached, rows_cached
from polyhead.kernels.microkernels.epilogue import Operation, activated, added, as_they_are, gated
from polyhead.kernels.microkernels.row_counts import MOST
from polyhead.kernels.microkernels.simd import (
    LINE,
    NUMBER,
    WIDTH,
    EpilogueInput,
    LeftOperand,
    Scales,
    product_of_pairs,
    unseen,
)
from polyhead.kernels.packing.pack_float32 import copy_columns, take_columns
from polyhead.kernels.packing.pack_int16 import (
    PAIRED,
    pair_and_take_rows,
    pair_and_turn_rows,
    pair_down,
    pairs_of,
)

Floats = NDArray[np.float32]
Workspace = NDArray[np.uint8]

_PAIR = NUMBER // 2
"""Bytes of a number in a pair."""


def workspace_bytes(rows: int, inputs: int, outputs: int) -> int:
    """Bytes that these work in."""
    widest, rows = max(inputs, outputs), max(outputs, ROWS)
    kept = max(CACHED, NUMBER * WHOLE * (rows // 2 + WIDTH), NUMBER * (MOST + WIDTH) * widest)
    return _PAIR * rows * inputs + 2 * kept + NUMBER * (2 * widest + kept // PAIRED)


def _product(finish: Operation) -> Any:
    """The kernel of a product with panels of pairs, and their scales."""
    multiply = product_of_pairs(finish)

    @kernel
    def product(left: Floats, panels: int, scales: int, seen: EpilogueInput, out: Floats, room: int) -> None:
        (rows, steps), columns, (row,), (out_row,) = left.shape, out.shape[1], left.strides[:1], out.strides[:1]
        paired = _PAIR * steps
        some = rows_cached(paired)
        of_rows = room + some * paired
        for first in range(0, rows, some):
            count = min(some, rows - first)
            pair_and_take_rows(LeftOperand(left.ctypes.data + first * row, row, LINE), count, steps, room, of_rows)
            given, to = LeftOperand(room, paired, 0), out.ctypes.data + first * out_row
            beside = seen.place + first * seen.row
            for n in range(0, columns, WIDTH):
                place, by = (
                    EpilogueInput(beside + NUMBER * n, seen.row, seen.factor),
                    Scales(of_rows, scales + NUMBER * n),
                )
                multiply(given, count, panels + paired * n, steps // 2, by, place, to + NUMBER * n, out_row)

    return product


_with_bias, _with_bias_and_relu = _product(added), _product(activated)
_plain, _gated = _product(as_they_are), _product(gated)
_turned, _turned_and_added = product_of_pairs(as_they_are), product_of_pairs(None)


@kernel
def linear(x: Floats, weight: Floats, bias: Floats, then_activated: bool, out: Floats, room: Workspace) -> None:
    """x [N, K] Wᵀ + b, of weight [M, K] and bias [M], and then ReLU if asked for → out [N, M]."""
    require_product(x, weight, out)
    require(bias.shape[0] == weight.shape[0])
    outputs, inputs = weight.shape
    panels, seen = room.ctypes.data, EpilogueInput(bias.ctypes.data, 0, np.float32(1))
    scales = panels + _PAIR * outputs * inputs
    rest = scales + NUMBER * outputs
    pair_and_turn_rows(weight, panels, scales, rest)
    if then_activated:
        _with_bias_and_relu(x, panels, scales, seen, out, rest)
    else:
        _with_bias(x, panels, scales, seen, out, rest)


@kernel
def _columns(x: Floats, room: Workspace) -> Any:
    """A right factor's panels [K / WIDTH, N' / 2, WIDTH] and scales [K], in that room, and what is left of it."""
    columns, steps = x.shape[1], pairs_of(x.shape[0])
    size, unused = NUMBER * columns * steps, np.zeros(columns, np.float32)
    panels = room[:size].view(np.float32).reshape((columns // WIDTH, steps, WIDTH))
    scales, rest = room[size : size + NUMBER * columns].view(np.float32), room[size + NUMBER * columns :]
    some = columns_cached(NUMBER * steps)
    for k in range(0, columns, some):
        end = min(k + some, columns)
        pairs = rest[: NUMBER * (end - k) * steps].view(np.float32).reshape((steps, end - k))
        pair_down(x[:, k:end], pairs, scales[k:end], unused[k:end])
        copy_columns(pairs, panels[k // WIDTH : end // WIDTH])
    return panels, scales, rest


@kernel
def input_gradient(gradient: Floats, weight: Floats, out: Floats, room: Workspace) -> None:
    """gradient [N, M] W → out [N, K]."""
    require_input_gradient(gradient, weight, out)
    panels, scales, rest = _columns(weight, room)
    _plain(gradient, panels.ctypes.data, scales.ctypes.data, unseen(out.ctypes.data), out, rest.ctypes.data)


@kernel
def gated_gradient(
    gradient: Floats, weight: Floats, passed: Floats, scale: float, out: Floats, room: Workspace
) -> None:
    """The same, scaled where a ReLU and what came after it gave more than 0, passed [N, K], else 0."""
    require_input_gradient(gradient, weight, out)
    require_same(passed, out)
    panels, scales, rest = _columns(weight, room)
    seen = EpilogueInput(passed.ctypes.data, passed.strides[0], np.float32(scale))
    _gated(gradient, panels.ctypes.data, scales.ctypes.data, seen, out, rest.ctypes.data)


@kernel
def weight_gradient(gradient: Floats, x: Floats, out: Floats, total: Floats, room: Workspace) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the gradient's rows, added up → total [M]."""
    require_weight_gradient(gradient, x, out, total)
    (rows, outputs), out_row = gradient.shape, out.strides[0]
    total[:] = 0
    if rows == 0:
        out[:] = 0
    for first in range(0, rows, ROWS):
        end = min(first + ROWS, rows)
        panels, scales, rest = _columns(x[first:end], room)
        steps = panels.shape[1]
        some = columns_cached(NUMBER * steps)
        size = some * steps
        of_rows, numbers = rest[: NUMBER * some].view(np.float32), rest[NUMBER * some :].view(np.float32)
        left, given = numbers[:size], LeftOperand(numbers.ctypes.data, NUMBER * steps, 0)
        for m in range(0, outputs, some):
            count = min(some, outputs - m)
            pairs = numbers[size : size + count * steps].reshape((steps, count))
            pair_down(gradient[first:end, m : m + count], pairs, of_rows, total[m : m + count])
            take_columns(pairs, left[: count * steps])
            place = out[m:].ctypes.data
            for n in range(panels.shape[0]):
                panel, to = panels[n].ctypes.data, place + LINE * n
                by = Scales(of_rows.ctypes.data, scales[n * WIDTH :].ctypes.data)
                if first == 0:
                    _turned(given, count, panel, steps, by, unseen(to), to, out_row)
                else:
                    _turned_and_added(given, count, panel, steps, by, unseen(to), to, out_row)
