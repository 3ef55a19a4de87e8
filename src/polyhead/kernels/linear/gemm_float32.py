"""The three products of a linear map, and what else its passes do with them, in vectors of float32.

As many rows of the left factor as a core's own cache holds pass by all panels of the right one, a panel by all of them
before the next.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of WIDTH.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.hardware import cpu_features
from polyhead.kernels.arrays.bounds import (
    require,
    require_input_gradient,
    require_product,
    require_same,
    require_weight_gradient,
)
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import Operation, activated, added, as_they_are, gated
from polyhead.kernels.microkernels.row_counts import MOST
from polyhead.kernels.microkernels.simd import (
    LINE,
    NUMBER,
    WIDTH,
    EpilogueInput,
    LeftOperand,
    filled_up,
    product_of,
    unseen,
)
from polyhead.kernels.packing.pack_float32 import add_rows, copy_columns, take_columns, transpose_rows

Floats = NDArray[np.float32]
Workspace = NDArray[np.uint8]

CACHED = 1 << 18
"""Bytes of the left factor that stay in a core's own cache, beside a panel."""
ROWS = 512
"""Of a batch, whose products are added up at once: a panel of so many stays in the first cache."""

WHOLE = MOST * WIDTH // 2
"""Numbers of whole panels, and of whole MOST rows."""


def is_supported() -> bool:
    """Whether this CPU has such vectors and nothing better: with products of bfloat16 float32 is not for speed.

    With AVX-512 of before VNNI PyTorch's products were not compared.
    """
    found = cpu_features()
    compared = "avx512_f" not in found or "avx512_vnni" in found
    return {"avx2", "fma3"} <= found and compared and not {"avx512_bf16", "amx_bf16"} & found


def workspace_bytes(rows: int, inputs: int, outputs: int) -> int:
    """Bytes that these work in."""
    return max(NUMBER * inputs * outputs, NUMBER * ROWS * (inputs + WHOLE) + CACHED)


@kernel
def rows_cached(row: int) -> int:
    """So many of a left factor, of so many bytes each, that they stay in a core's own cache."""
    return max(MOST, CACHED // row // MOST * MOST)


@kernel
def columns_cached(column: int) -> int:
    """The same of columns, as whole panels, and as whole blocks of a turned factor's rows."""
    return max(WHOLE, CACHED // column // WHOLE * WHOLE)


def _product(finish: Operation) -> Any:
    """The kernel of a product with panels."""
    multiply = product_of(finish)

    @kernel
    def product(left: Floats, panels: int, seen: EpilogueInput, out: Floats) -> None:
        (rows, steps), columns, (row,), (out_row,) = left.shape, out.shape[1], left.strides[:1], out.strides[:1]
        some = rows_cached(row)
        for first in range(0, rows, some):
            count = min(some, rows - first)
            given, to = LeftOperand(left.ctypes.data + first * row, row, LINE), out.ctypes.data + first * out_row
            beside = seen.place + first * seen.row
            for n in range(0, columns, WIDTH):
                place = EpilogueInput(beside + NUMBER * n, seen.row, seen.factor)
                multiply(given, count, panels + NUMBER * n * steps, steps, place, to + NUMBER * n, out_row)

    return product


_with_bias, _with_bias_and_relu = _product(added), _product(activated)
_plain, _gated = _product(as_they_are), _product(gated)
_turned, _turned_and_added = product_of(as_they_are, turned=True), product_of(None, turned=True)


@kernel
def linear(x: Floats, weight: Floats, bias: Floats, then_activated: bool, out: Floats, room: Workspace) -> None:
    """x [N, K] Wᵀ + b, of weight [M, K] and bias [M], and then ReLU if asked for → out [N, M]."""
    require_product(x, weight, out)
    require(bias.shape[0] == weight.shape[0])
    panels, seen = room.ctypes.data, EpilogueInput(bias.ctypes.data, 0, np.float32(1))
    transpose_rows(weight, panels)
    if then_activated:
        _with_bias_and_relu(x, panels, seen, out)
    else:
        _with_bias(x, panels, seen, out)


@kernel
def _columns(x: Floats, room: Workspace) -> Any:
    """A right factor's panels [K / WIDTH, N', WIDTH] in that room, and what is left of it."""
    rows, columns = filled_up(x.shape[0]), x.shape[1]
    size = NUMBER * rows * columns
    panels = room[:size].view(np.float32).reshape((columns // WIDTH, rows, WIDTH))
    copy_columns(x, panels)
    return panels, room[size:]


@kernel
def input_gradient(gradient: Floats, weight: Floats, out: Floats, room: Workspace) -> None:
    """gradient [N, M] W → out [N, K]."""
    require_input_gradient(gradient, weight, out)
    panels, _ = _columns(weight, room)
    _plain(gradient, panels.ctypes.data, unseen(out.ctypes.data), out)


@kernel
def gated_gradient(
    gradient: Floats, weight: Floats, passed: Floats, scale: float, out: Floats, room: Workspace
) -> None:
    """The same, scaled where a ReLU and what came after it gave more than 0, passed [N, K], else 0."""
    require_input_gradient(gradient, weight, out)
    require_same(passed, out)
    panels, _ = _columns(weight, room)
    seen = EpilogueInput(passed.ctypes.data, passed.strides[0], np.float32(scale))
    _gated(gradient, panels.ctypes.data, seen, out)


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
        panels, rest = _columns(x[first:end], room)
        steps = panels.shape[1]
        some = columns_cached(NUMBER * steps)
        left = rest[: NUMBER * some * steps].view(np.float32)
        given = LeftOperand(left.ctypes.data, NUMBER * steps, 0)
        for m in range(0, outputs, some):
            count = min(some, outputs - m)
            some_columns = gradient[first:end, m : m + count]
            take_columns(some_columns, left[: count * steps])
            add_rows(some_columns, total[m : m + count])
            place = out[m:].ctypes.data
            for n in range(panels.shape[0]):
                panel, to = panels[n].ctypes.data, place + LINE * n
                if first == 0:
                    _turned(given, count, panel, steps, unseen(to), to, out_row)
                else:
                    _turned_and_added(given, count, panel, steps, unseen(to), to, out_row)
