"""GEMM of float32 in vectors: a linear map and its gradients.

The right operand is packed into panels. As many rows of the left one as a core's own cache holds are multiplied by all
panels, all of these rows by one panel before the next; where they are, as they need no packing.
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
from polyhead.kernels.microkernels.epilogue import Epilogue, add_bias, add_bias_and_relu, gate, unchanged
from polyhead.kernels.microkernels.row_counts import MOST
from polyhead.kernels.microkernels.simd import (
    LINE,
    NUMBER,
    WIDTH,
    EpilogueInput,
    LeftOperand,
    filled_up,
    no_input,
    product_of,
)
from polyhead.kernels.packing.pack_float32 import add_rows, copy_columns, take_columns, transpose_rows

Floats = NDArray[np.float32]
Workspace = NDArray[np.uint8]

CACHED = 1 << 18
"""Bytes of the left operand that stay in a core's own cache, beside a panel."""
ROWS = 512
"""Rows of a batch that a weight's gradient sums over at once: a panel of so many stays in the first cache."""
WHOLE = MOST * WIDTH // 2
"""The smallest number of columns that are whole panels and, as rows of a transposed operand, whole MOST rows."""


def is_supported() -> bool:
    """Whether this CPU has AVX2 and doesn't multiply bfloat16: where it does, float32 is not chosen for speed.

    A CPU with AVX-512 and without VNNI is left to PyTorch: nobody has compared the two there.
    """
    found = cpu_features()
    compared = "avx512_f" not in found or "avx512_vnni" in found
    return {"avx2", "fma3"} <= found and compared and not {"avx512_bf16", "amx_bf16"} & found


def workspace_bytes(rows: int, inputs: int, outputs: int) -> int:
    """How many bytes the kernels below need to work in."""
    return max(NUMBER * inputs * outputs, NUMBER * ROWS * (inputs + WHOLE) + CACHED)


@kernel
def rows_cached(row: int) -> int:
    """How many rows of the left operand, of so many bytes each, stay in a core's own cache."""
    return max(MOST, CACHED // row // MOST * MOST)


@kernel
def columns_cached(column: int) -> int:
    """How many columns of so many bytes each stay there; a multiple of WHOLE."""
    return max(WHOLE, CACHED // column // WHOLE * WHOLE)


def _product(epilogue: Epilogue) -> Any:
    """The kernel that multiplies a matrix by all panels, for one epilogue."""
    multiply = product_of(epilogue)

    @kernel
    def product(left: Floats, panels: int, inputs: EpilogueInput, out: Floats) -> None:
        """left [N, K] times panels [.., K, WIDTH] → out [N, ..]."""
        (rows, steps), columns, (row,), (out_row,) = left.shape, out.shape[1], left.strides[:1], out.strides[:1]
        some = rows_cached(row)
        for first in range(0, rows, some):
            count = min(some, rows - first)
            some_rows, to = LeftOperand(left.ctypes.data + first * row, row, LINE), out.ctypes.data + first * out_row
            for n in range(0, columns, WIDTH):
                here = EpilogueInput(inputs.place + first * inputs.row + NUMBER * n, inputs.row, inputs.factor)
                multiply(some_rows, count, panels + NUMBER * n * steps, steps, here, to + NUMBER * n, out_row)

    return product


_with_bias, _with_bias_and_relu = _product(add_bias), _product(add_bias_and_relu)
_plain, _gated = _product(unchanged), _product(gate)
_transposed, _transposed_and_added = product_of(unchanged, transposed=True), product_of(None, transposed=True)


@kernel
def linear(x: Floats, weight: Floats, bias: Floats, relu: bool, out: Floats, workspace: Workspace) -> None:
    """x [N, K] weight [M, K]ᵀ + bias [M], and its ReLU where `relu` says so → out [N, M]."""
    require_product(x, weight, out)
    require(bias.shape[0] == weight.shape[0])
    panels, inputs = workspace.ctypes.data, EpilogueInput(bias.ctypes.data, 0, np.float32(1))
    transpose_rows(weight, panels)
    if relu:
        _with_bias_and_relu(x, panels, inputs, out)
    else:
        _with_bias(x, panels, inputs, out)


@kernel
def _pack_columns(x: Floats, workspace: Workspace) -> Any:
    """x [N, K] as a right operand: panels [K / WIDTH, N', WIDTH] in the workspace, and what is left of that."""
    rows, columns = filled_up(x.shape[0]), x.shape[1]
    size = NUMBER * rows * columns
    panels = workspace[:size].view(np.float32).reshape((columns // WIDTH, rows, WIDTH))
    copy_columns(x, panels)
    return panels, workspace[size:]


@kernel
def input_gradient(gradient: Floats, weight: Floats, out: Floats, workspace: Workspace) -> None:
    """gradient [N, M] weight [M, K] → out [N, K]."""
    require_input_gradient(gradient, weight, out)
    panels, _ = _pack_columns(weight, workspace)
    _plain(gradient, panels.ctypes.data, no_input(out.ctypes.data), out)


@kernel
def gated_gradient(
    gradient: Floats, weight: Floats, passed: Floats, scale: float, out: Floats, workspace: Workspace
) -> None:
    """The same times `scale` where passed [N, K], what a ReLU and a dropout gave, is not 0; else 0."""
    require_input_gradient(gradient, weight, out)
    require_same(passed, out)
    panels, _ = _pack_columns(weight, workspace)
    inputs = EpilogueInput(passed.ctypes.data, passed.strides[0], np.float32(scale))
    _gated(gradient, panels.ctypes.data, inputs, out)


@kernel
def weight_gradient(gradient: Floats, x: Floats, out: Floats, total: Floats, workspace: Workspace) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the sum of the gradient's rows → total [M]."""
    require_weight_gradient(gradient, x, out, total)
    (rows, outputs), out_row = gradient.shape, out.strides[0]
    total[:] = 0
    if rows == 0:
        out[:] = 0
    for first in range(0, rows, ROWS):
        end = min(first + ROWS, rows)
        panels, rest = _pack_columns(x[first:end], workspace)
        steps = panels.shape[1]
        some = columns_cached(NUMBER * steps)
        left = rest[: NUMBER * some * steps].view(np.float32)
        some_rows = LeftOperand(left.ctypes.data, NUMBER * steps, 0)
        for m in range(0, outputs, some):
            count = min(some, outputs - m)
            some_columns = gradient[first:end, m : m + count]
            take_columns(some_columns, left[: count * steps])
            add_rows(some_columns, total[m : m + count])
            place = out[m:].ctypes.data
            for n in range(panels.shape[0]):
                panel, to = panels[n].ctypes.data, place + LINE * n
                if first == 0:
                    _transposed(some_rows, count, panel, steps, no_input(to), to, out_row)
                else:
                    _transposed_and_added(some_rows, count, panel, steps, no_input(to), to, out_row)
