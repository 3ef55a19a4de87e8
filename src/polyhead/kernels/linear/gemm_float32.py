"""GEMM of float32 in vectors, on AVX2 and AVX-512.

The right operand is packed into panels. As many rows of the left one as a core's own cache holds are multiplied by all
panels, all of these rows by one panel before the next. Rows need no packing, and are read where they are.
Shapes: N rows, K inputs and M outputs of a linear map; K and M are multiples of WIDTH.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.hardware import cpu_features
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import Epilogue, identity
from polyhead.kernels.microkernels.row_counts import MOST_ROWS
from polyhead.kernels.microkernels.simd import FLOAT_BYTES, WIDTH, EpilogueInput, LeftOperand, no_input, round_up
from polyhead.kernels.microkernels.simd import product_of as microkernel_of
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES
from polyhead.kernels.packing.pack_float32 import add_rows, pack_left_columns, pack_right_columns, pack_right_rows

Floats = NDArray[np.float32]
Workspace = NDArray[np.uint8]

CACHED = 1 << 18
"""Bytes of the left operand that stay in a core's own cache, beside a panel."""
ROWS = 512
"""Rows of a batch that a weight's gradient sums over at once: a panel of so many stays in the first cache."""
COLUMNS_MULTIPLE = MOST_ROWS * WIDTH // 2
"""The fewest columns that are whole panels and, as rows of a transposed operand, whole groups of MOST_ROWS."""


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
    return max(FLOAT_BYTES * inputs * outputs, FLOAT_BYTES * ROWS * (inputs + COLUMNS_MULTIPLE) + CACHED)


@kernel
def rows_cached(row: int) -> int:
    """How many rows of the left operand, of so many bytes each, stay in a core's own cache."""
    return max(MOST_ROWS, CACHED // row // MOST_ROWS * MOST_ROWS)


@kernel
def columns_cached(column: int) -> int:
    """How many columns of so many bytes each stay in a core's own cache; a multiple of COLUMNS_MULTIPLE."""
    return max(COLUMNS_MULTIPLE, CACHED // column // COLUMNS_MULTIPLE * COLUMNS_MULTIPLE)


@kernel
def takes(rows: int, inputs: int, outputs: int) -> bool:
    """Whether the loops below take matrices of these sizes."""
    return inputs % WIDTH == 0 and outputs % WIDTH == 0


def product_of(epilogue: Epilogue) -> Any:
    """The kernel that multiplies a matrix by all panels, for one epilogue."""
    multiply = microkernel_of(epilogue)

    @kernel
    def product(left: Floats, panels: int, inputs: EpilogueInput, out: Floats, workspace: Workspace) -> None:
        """left [N, K] times panels [.., K, WIDTH] → out [N, ..]."""
        (rows, steps), columns, (stride,), (out_stride,) = left.shape, out.shape[1], left.strides[:1], out.strides[:1]
        some = rows_cached(stride)
        for first in range(0, rows, some):
            count = min(some, rows - first)
            some_rows = LeftOperand(left.ctypes.data + first * stride, stride, VECTOR_BYTES)
            to, inputs_of_rows = out.ctypes.data + first * out_stride, inputs.address + first * inputs.stride
            for n in range(0, columns, WIDTH):
                offset = FLOAT_BYTES * n
                here = EpilogueInput(inputs_of_rows + offset, inputs.stride, inputs.factor)
                multiply(some_rows, count, panels + offset * steps, steps, here, to + offset, out_stride)

    return product


_transposed_product = microkernel_of(identity, transposed=True)
_add_transposed_product = microkernel_of(None, transposed=True)


@kernel
def pack_rows(x: Floats, workspace: Workspace) -> Any:
    """x [M, K], whose rows become columns → the address of panels [M / WIDTH, K, WIDTH], and the workspace."""
    pack_right_rows(x, workspace.ctypes.data)
    return workspace.ctypes.data, workspace


@kernel
def pack_columns(x: Floats, workspace: Workspace) -> Any:
    """x [N, K], whose columns stay columns → the address of panels [K / WIDTH, N', WIDTH], and the workspace."""
    panels, rest = _packed_columns(x, workspace)
    return panels.ctypes.data, rest


@kernel
def _packed_columns(x: Floats, workspace: Workspace) -> Any:
    """x [N, K] packed into panels in the workspace, and what is left of the workspace."""
    rows, columns = round_up(x.shape[0]), x.shape[1]
    size = FLOAT_BYTES * rows * columns
    panels = workspace[:size].view(np.float32).reshape((columns // WIDTH, rows, WIDTH))
    pack_right_columns(x, panels)
    return panels, workspace[size:]


@kernel
def weight_gradient(gradient: Floats, x: Floats, out: Floats, total: Floats, workspace: Workspace) -> None:
    """gradient [N, M]ᵀ x [N, K] → out [M, K]; the sum of the gradient's rows → total [M]."""
    (rows, outputs), out_stride = gradient.shape, out.strides[0]
    total[:] = 0
    if rows == 0:
        out[:] = 0
    for first in range(0, rows, ROWS):
        end = min(first + ROWS, rows)
        panels, rest = _packed_columns(x[first:end], workspace)
        steps = panels.shape[1]
        some = columns_cached(FLOAT_BYTES * steps)
        left = rest[: FLOAT_BYTES * some * steps].view(np.float32)
        some_rows = LeftOperand(left.ctypes.data, FLOAT_BYTES * steps, 0)
        for m in range(0, outputs, some):
            count = min(some, outputs - m)
            some_columns = gradient[first:end, m : m + count]
            pack_left_columns(some_columns, left[: count * steps])
            add_rows(some_columns, total[m : m + count])
            address = out[m:].ctypes.data
            for n in range(panels.shape[0]):
                panel, to = panels[n].ctypes.data, address + VECTOR_BYTES * n
                if first == 0:
                    _transposed_product(some_rows, count, panel, steps, no_input(to), to, out_stride)
                else:
                    _add_transposed_product(some_rows, count, panel, steps, no_input(to), to, out_stride)
