"""Matrices of float32 packed as operands of the microkernel in vectors (`microkernels.simd`).

Shapes: N rows, N' the next multiple of WIDTH, up to which rows of zeros are added; K and M columns, multiples of WIDTH.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, F32, Code, instructions
from polyhead.kernels.microkernels.row_counts import FEWER_ROWS, MOST_ROWS, rows_at_once
from polyhead.kernels.microkernels.simd import FLOAT_BYTES, WIDTH
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES

Floats = NDArray[np.float32]
_HALF = WIDTH // 2
_HALVES = ir.VectorType(F32, _HALF)
"""A vector of WIDTH / 2 numbers. As many such vectors are transposed at once: they fit in the registers of AVX2."""


@kernel
def pack_right_rows(x: Floats, out: int) -> None:
    """x [M, K], whose rows become the right operand's columns → out [M / WIDTH, K, WIDTH]; the last row is repeated."""
    address, stride, (rows, columns) = x.ctypes.data, x.strides[0], x.shape
    for m in range(0, rows, WIDTH):
        pack_right_row_panel(address + m * stride, stride, rows - m, columns, out + FLOAT_BYTES * m * columns)


@kernel
def pack_right_row_panel(x: int, stride: int, rows: int, columns: int, out: int) -> None:
    """One panel of `pack_right_rows`: at most WIDTH rows at x, `stride` bytes apart, of K = `columns` numbers."""
    for k in range(0, columns, WIDTH):
        transpose(x + FLOAT_BYTES * k, stride, rows, out + VECTOR_BYTES * k, VECTOR_BYTES)


@kernel
def pack_right_columns(x: Floats, out: Floats) -> None:
    """x [N, K] as the right operand → out [K / WIDTH, N', WIDTH]."""
    for panel in range(out.shape[0]):
        pack_right_column_panel(x.ctypes.data + VECTOR_BYTES * panel, x.strides[0], x.shape[0], out[panel])


@kernel
def pack_right_column_panel(x: int, stride: int, rows: int, out: Floats) -> None:
    """One panel of `pack_right_columns`: the first WIDTH numbers of rows, `stride` bytes apart → out [N', WIDTH]."""
    _copy_panel_rows(x, stride, rows, out.ctypes.data)
    out[rows:] = 0


@kernel
def pack_left_columns(x: Floats, out: Floats) -> None:
    """x [N, M], whose columns become the rows of a transposed left operand → out [M · N']."""
    address, stride, (rows, columns), done = x.ctypes.data, x.strides[0], x.shape, 0
    height = out.shape[0] // columns
    while done < columns:
        count = rows_at_once(columns - done)
        first, end = done * height, (done + count) * height
        if count == MOST_ROWS:
            _copy_most(address + FLOAT_BYTES * done, stride, rows, out[first:].ctypes.data)
        else:
            _copy_fewer(address + FLOAT_BYTES * done, stride, rows, out[first:].ctypes.data)
        out[first + count * rows : end] = 0
        done += count


@kernel
def add_rows(x: Floats, total: Floats) -> None:
    """Adds the sum of the rows of x [N, M] to total [M]."""
    for n in range(x.shape[0]):
        row = x[n]
        for m in range(x.shape[1]):
            total[m] += row[m]


def _copy(count: int) -> Any:
    """(x, bytes of its row, rows, out): the first `count` numbers of each row of x → out [rows, count]."""
    kind = ir.VectorType(F32, count)

    @instructions(ADDRESS, COUNT, COUNT, ADDRESS)
    def copy(code: Code, x: Any, stride: Any, rows: Any, out: Any) -> None:
        builder = code.builder
        with code.loop(rows) as index:
            given = code.load(kind, x, builder.mul(index, stride))
            code.store(given, out, builder.mul(index, code.i64(FLOAT_BYTES * count)))

    return copy


_copy_panel_rows, _copy_most, _copy_fewer = map(_copy, (WIDTH, MOST_ROWS, FEWER_ROWS))


@instructions(ADDRESS, COUNT, COUNT, ADDRESS, COUNT)
def transpose(code: Code, x: Any, stride: Any, rows: Any, out: Any, out_stride: Any) -> None:
    """(x, bytes of its row, rows, out, bytes of its row): out [WIDTH, WIDTH] = xᵀ; the last row is repeated."""
    builder = code.builder
    last, given = builder.mul(stride, builder.sub(rows, code.i64(1))), code.addresses(code.i64(0), stride, WIDTH)
    given = [
        builder.select(builder.icmp_signed("<", code.i64(r), rows), address, last) for r, address in enumerate(given)
    ]
    to = code.addresses(out, out_stride, WIDTH)
    for first in range(0, WIDTH, _HALF):
        for column in range(0, WIDTH, _HALF):
            from_ = builder.add(x, code.i64(FLOAT_BYTES * column))
            vectors = [code.load(_HALVES, from_, address) for address in given[first : first + _HALF]]
            for address, vector in zip(to[column : column + _HALF], code.transposed(vectors), strict=True):
                code.store(vector, address, code.i64(FLOAT_BYTES * first))
