"""GEMM of float32 in vectors, on AVX2 and AVX-512.

The right operand is packed into panels. As many rows of the left one as a core's own cache holds are multiplied by all
panels, all of these rows by one panel before the next; where they are, as they need no packing.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of WIDTH.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.hardware import cpu_features
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import Epilogue, unchanged
from polyhead.kernels.microkernels.row_counts import MOST
from polyhead.kernels.microkernels.simd import (
    LINE,
    NUMBER,
    WIDTH,
    EpilogueInput,
    LeftOperand,
    filled_up,
    no_input,
)
from polyhead.kernels.microkernels.simd import product_of as microkernel_of
from polyhead.kernels.packing.pack_float32 import add_rows, copy_columns, take_columns, transpose_rows

Floats = NDArray[np.float32]
Workspace = NDArray[np.uint8]

CACHED = 1 << 18
"""Bytes of the left operand that stay in a core's own cache, beside a panel."""
ROWS = 512
"""Rows of a batch that a weight's gradient sums over at once: a panel of so many stays in the first cache."""
WHOLE = MOST * WIDTH // 2
"""The smallest number of columns that are whole panels and, as rows of a transposed operand, whole MOST rows."""


class Float32(NamedTuple):
    """The arithmetic of float32."""


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


def product_of(epilogue: Epilogue) -> Any:
    """The kernel that multiplies a matrix by all panels, for one epilogue."""
    multiply = microkernel_of(epilogue)

    @kernel
    def product(left: Floats, panels: int, inputs: EpilogueInput, out: Floats, workspace: Workspace) -> None:
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


_transposed = microkernel_of(unchanged, transposed=True)
_transposed_and_added = microkernel_of(None, transposed=True)


@kernel
def pack_rows(x: Floats, workspace: Workspace) -> Any:
    """x [M, K], whose rows become columns → the address of panels [M / WIDTH, K, WIDTH], and the workspace."""
    transpose_rows(x, workspace.ctypes.data)
    return workspace.ctypes.data, workspace


@kernel
def pack_columns(x: Floats, workspace: Workspace) -> Any:
    """x [N, K], whose columns stay columns → the address of panels [K / WIDTH, N', WIDTH], and the workspace."""
    panels, rest = _packed_columns(x, workspace)
    return panels.ctypes.data, rest


@kernel
def _packed_columns(x: Floats, workspace: Workspace) -> Any:
    """The panels, and what is left of the workspace."""
    rows, columns = filled_up(x.shape[0]), x.shape[1]
    size = NUMBER * rows * columns
    panels = workspace[:size].view(np.float32).reshape((columns // WIDTH, rows, WIDTH))
    copy_columns(x, panels)
    return panels, workspace[size:]


@kernel
def weight_gradient(gradient: Floats, x: Floats, out: Floats, total: Floats, workspace: Workspace) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the sum of the gradient's rows → total [M]."""
    (rows, outputs), out_row = gradient.shape, out.strides[0]
    total[:] = 0
    if rows == 0:
        out[:] = 0
    for first in range(0, rows, ROWS):
        end = min(first + ROWS, rows)
        panels, rest = _packed_columns(x[first:end], workspace)
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
