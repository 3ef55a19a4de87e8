"""Matrices of float32 packed as operands of the microkernel in vectors (`microkernels.simd`).

Shapes: N rows, N' the next multiple of WIDTH, up to which rows of zeros are added; K and M columns, multiples of WIDTH.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, REAL, Code, instructions
from polyhead.kernels.microkernels.row_counts import FEWER, MOST, rows_at_once
from polyhead.kernels.microkernels.simd import LINE, NUMBER, WIDTH

Floats = NDArray[np.float32]
_HALF = WIDTH // 2
_HALVES = ir.VectorType(REAL, _HALF)
"""So many rows of so many numbers are transposed at once: they fit in the registers of AVX2."""


@kernel
def transpose_rows(x: Floats, out: int) -> None:
    """x [M, K], whose rows become the right operand's columns → out [M / WIDTH, K, WIDTH]; the last row is repeated."""
    place, row, (rows, columns) = x.ctypes.data, x.strides[0], x.shape
    for m in range(0, rows, WIDTH):
        transpose_panel(place + m * row, row, rows - m, columns, out + NUMBER * m * columns)


@kernel
def transpose_panel(x: int, row: int, rows: int, columns: int, out: int) -> None:
    """The same for one panel: at most WIDTH rows at an address, `row` bytes apart, of K = `columns` numbers each."""
    for k in range(0, columns, WIDTH):
        transpose(x + NUMBER * k, row, rows, out + LINE * k, LINE)


@kernel
def copy_columns(x: Floats, out: Floats) -> None:
    """x [N, K] as the right operand → out [K / WIDTH, N', WIDTH]."""
    for panel in range(out.shape[0]):
        copy_panel(x.ctypes.data + LINE * panel, x.strides[0], x.shape[0], out[panel])


@kernel
def copy_panel(x: int, row: int, rows: int, out: Floats) -> None:
    """The same for one panel: the first WIDTH numbers of rows at an address, `row` bytes apart → out [N', WIDTH]."""
    _copy_wide(x, row, rows, out.ctypes.data)
    out[rows:] = 0


@kernel
def take_columns(x: Floats, out: Floats) -> None:
    """x [N, M], whose columns become the rows of a transposed left operand → out [M · N']."""
    place, row, (rows, columns), done = x.ctypes.data, x.strides[0], x.shape, 0
    height = out.shape[0] // columns
    while done < columns:
        count = rows_at_once(columns - done)
        first, end = done * height, (done + count) * height
        if count == MOST:
            _copy_most(place + NUMBER * done, row, rows, out[first:].ctypes.data)
        else:
            _copy_fewer(place + NUMBER * done, row, rows, out[first:].ctypes.data)
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
    kind = ir.VectorType(REAL, count)

    @instructions(ADDRESS, COUNT, COUNT, ADDRESS)
    def copy(code: Code, x: Any, row: Any, rows: Any, out: Any) -> None:
        builder = code.builder
        with code.each(rows) as index:
            given = code.load(kind, x, builder.mul(index, row))
            code.store(given, out, builder.mul(index, code.long(NUMBER * count)))

    return copy


_copy_wide, _copy_most, _copy_fewer = map(_copy, (WIDTH, MOST, FEWER))


@instructions(ADDRESS, COUNT, COUNT, ADDRESS, COUNT)
def transpose(code: Code, x: Any, row: Any, rows: Any, out: Any, out_row: Any) -> None:
    """(x, bytes of its row, rows, out, bytes of its row): out [WIDTH, WIDTH] = xᵀ; the last row is repeated."""
    builder = code.builder
    last, given = builder.mul(row, builder.sub(rows, code.long(1))), code.apart(code.long(0), row, WIDTH)
    given = [builder.select(builder.icmp_signed("<", code.long(r), rows), place, last) for r, place in enumerate(given)]
    to = code.apart(out, out_row, WIDTH)
    for first in range(0, WIDTH, _HALF):
        for column in range(0, WIDTH, _HALF):
            from_ = builder.add(x, code.long(NUMBER * column))
            vectors = [code.load(_HALVES, from_, place) for place in given[first : first + _HALF]]
            for place, vector in zip(to[column : column + _HALF], code.transposed(vectors), strict=True):
                code.store(vector, place, code.long(NUMBER * first))
