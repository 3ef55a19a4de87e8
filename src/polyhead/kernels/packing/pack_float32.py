"""Matrices of float32 as factors of a product in vectors, put in order where need be.

Shapes: N rows, N' of them with rows of zeros behind, a multiple of WIDTH; K and M columns, multiples of it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compiler import intrinsic, ir, typed
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, REAL, Code
from polyhead.kernels.microkernels.row_counts import FEWER, MOST, rows_at_once
from polyhead.kernels.microkernels.simd import LINE, NUMBER, WIDTH

Floats = NDArray[np.float32]
_HALF = WIDTH // 2
_HALVES = ir.VectorType(REAL, _HALF)
"""As many rows of so many numbers are turned at a time: they fit in the registers of AVX2."""


@kernel
def transpose_rows(x: Floats, out: int) -> None:
    """x [M, K], its rows as a right factor's columns → out [M / WIDTH, K, WIDTH]; behind the last that one again."""
    place, row, (rows, columns) = x.ctypes.data, x.strides[0], x.shape
    for m in range(0, rows, WIDTH):
        turn_panel(place + m * row, row, rows - m, columns, out + NUMBER * m * columns)


@kernel
def turn_panel(x: int, row: int, rows: int, columns: int, out: int) -> None:
    """A panel of them, of rows at an address: at most WIDTH of them."""
    for k in range(0, columns, WIDTH):
        transpose(x + NUMBER * k, row, rows, out + LINE * k, LINE)


@kernel
def copy_columns(x: Floats, out: Floats) -> None:
    """x [N, K] as a right factor → out [K / WIDTH, N', WIDTH]."""
    for panel in range(out.shape[0]):
        copy_panel(x.ctypes.data + LINE * panel, x.strides[0], x.shape[0], out[panel])


@kernel
def copy_panel(x: int, row: int, rows: int, out: Floats) -> None:
    """A panel of them, of rows at an address → out [N', WIDTH]."""
    _copy_wide(x, row, rows, out.ctypes.data)
    out[rows:] = 0


@kernel
def take_columns(x: Floats, out: Floats) -> None:
    """x [N, M], its columns as a turned left factor's rows → out [M · N']."""
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
    """Sums of x [N, M] over N are added to total [M]."""
    for n in range(x.shape[0]):
        given = x[n]
        for m in range(x.shape[1]):
            total[m] += given[m]


def _copy(count: int) -> Any:
    """(x, its row's bytes, rows, out): x's first numbers of each row → out [rows, count]."""
    kind = ir.VectorType(REAL, count)

    @intrinsic
    def copy(typing_context: Any, x: Any, row: Any, rows: Any, out: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            x, row, rows, out = arguments
            code = Code(builder)

            def one(index: Any, nothing: list[Any]) -> list[Any]:
                given = code.load(kind, x, builder.mul(index, row))
                code.store(given, out, builder.mul(index, code.long(NUMBER * count)))
                return nothing

            code.repeat(rows, [], one)
            return context.get_dummy_value()

        return typed("void", ADDRESS, COUNT, COUNT, ADDRESS), generate

    return copy


_copy_wide, _copy_most, _copy_fewer = map(_copy, (WIDTH, MOST, FEWER))


@intrinsic
def transpose(typing_context: Any, x: Any, row: Any, rows: Any, out: Any, out_row: Any) -> Any:
    """(x, a row's bytes, rows, out, a row's bytes): out [WIDTH, WIDTH] = xᵀ; behind the last row, that row again."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, row, rows, out, out_row = arguments
        code = Code(builder)
        last, given = builder.mul(row, builder.sub(rows, code.long(1))), code.apart(code.long(0), row, WIDTH)
        given = [
            builder.select(builder.icmp_signed("<", code.long(r), rows), place, last) for r, place in enumerate(given)
        ]
        to = code.apart(out, out_row, WIDTH)
        for first in range(0, WIDTH, _HALF):
            for column in range(0, WIDTH, _HALF):
                from_ = builder.add(x, code.long(NUMBER * column))
                vectors = [code.load(_HALVES, from_, place) for place in given[first : first + _HALF]]
                for place, vector in zip(to[column : column + _HALF], code.turned(vectors), strict=True):
                    code.store(vector, place, code.long(NUMBER * first))
        return context.get_dummy_value()

    return typed("void", ADDRESS, COUNT, COUNT, ADDRESS, COUNT), generate
