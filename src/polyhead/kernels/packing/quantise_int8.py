"""The inner loops that round bfloat16 or float32 to 8-bit integers. The number of columns is a multiple of PANEL.

`x` is any array of the format that the numbers at an address have.
"""

from functools import partial, reduce
from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, ANY, COUNT, LANES, V16F32, V16I8, V16I32, Code, instructions, splat
from polyhead.kernels.microkernels.int8 import FOUR, STEP, ZERO_POINT
from polyhead.kernels.microkernels.registers import PANEL, PANEL_VECTORS
from polyhead.kernels.microkernels.simd import FLOAT_BYTES
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES, format_of, magnitude_as_float32, magnitudes

ROWS_AT_ONCE = 4
"""How many rows `column_maxima_of_four` and `column_maxima_and_sums_of_four` take."""
_ROUNDING = 1.5 * 2**23
"""Added to a number of float32 it leaves the nearest whole number in the last bits."""
_LOW_BYTE = ir.Constant(V16I32, [0xFF] * LANES)


def _nearest(code: Code, numbers: Any, factors: Any, zero_point: int) -> Any:
    """The nearest whole numbers to numbers times factors, plus `zero_point`, in the lowest byte of each lane."""
    return code.builder.bitcast(code.multiply_add(numbers, factors, splat(_ROUNDING + zero_point)), V16I32)


def _maximum(code: Code, one: Any, other: Any) -> Any:
    return code.builder.select(code.builder.icmp_unsigned(">", one, other), one, other)


@instructions(ANY, ADDRESS, COUNT, result="float32")
def row_maximum(code: Code, x: Any, address: Any, panels: Any) -> Any:
    """(x, address, columns / PANEL) → the magnitude of the largest number of a row, float32; a NaN is the largest."""
    builder, kind = code.builder, code.kinds[0]
    size, in_vector = format_of(kind).size, format_of(kind).in_vector

    def step(index: Any, found: list[Any]) -> list[Any]:
        here = builder.add(address, builder.mul(index, code.i64(size * PANEL)))
        given = [magnitudes(code, kind, here, code.i64(VECTOR_BYTES * number)) for number in range(len(found))]
        return [_maximum(code, *both) for both in zip(found, given, strict=True)]

    nothing = ir.Constant(ir.VectorType(ir.IntType(8 * size), in_vector), [0] * in_vector)
    found = code.fori_loop(panels, [nothing] * (PANEL // in_vector), step)
    return magnitude_as_float32(code, code.reduce(reduce(partial(_maximum, code), found), partial(_maximum, code)))


def _quantise_row(zero_point: int) -> Any:
    """(x, address, columns / PANEL, factor, out): a row times the factor, plus `zero_point`, as bytes."""

    @instructions(ANY, ADDRESS, COUNT, "float32", ADDRESS)
    def quantise_row(code: Code, x: Any, address: Any, panels: Any, factor: Any, out: Any) -> None:
        builder, (size, load, _) = code.builder, format_of(code.kinds[0])
        factors = code.broadcast(factor)
        with code.loop(panels) as index:
            here = builder.add(address, builder.mul(index, code.i64(size * PANEL)))
            to = builder.add(out, builder.mul(index, code.i64(PANEL)))
            for number in range(PANEL_VECTORS):
                numbers = load(code, here, code.i64(size * LANES * number))
                bytes_ = builder.trunc(_nearest(code, numbers, factors, zero_point), V16I8)
                code.store(bytes_, to, code.i64(LANES * number))

    return quantise_row


quantise_row, quantise_row_signed = map(_quantise_row, (ZERO_POINT, 0))


def _maxima_of(rows: int, add: bool) -> Any:
    """(x, address, bytes of a row, vectors in it, sizes, total): takes some rows into account in each column.

    sizes holds the largest magnitude of each column so far; where `add` says so, rows are added to total, too.
    """

    @instructions(ANY, ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS)
    def maxima_of_columns(code: Code, x: Any, address: Any, stride: Any, lines: Any, sizes: Any, total: Any) -> None:
        builder, (size, load, _) = code.builder, format_of(code.kinds[0])
        of_rows = code.addresses(address, stride, rows)
        with code.loop(lines) as index:
            here = builder.mul(index, code.i64(VECTOR_BYTES))
            found = magnitudes(code, code.kinds[0], sizes, here)
            for each in of_rows:
                found = _maximum(code, found, magnitudes(code, code.kinds[0], each, here))
            code.store(found, sizes, here)
            for part in range(0, VECTOR_BYTES if add else 0, size * LANES):
                there = builder.add(here, code.i64(part))
                to = builder.mul(there, code.i64(FLOAT_BYTES // size))
                added = code.load(V16F32, total, to)
                for each in of_rows:
                    added = builder.fadd(added, load(code, each, there))
                code.store(added, total, to)

    return maxima_of_columns


column_maxima_of_four, column_maxima_of_one = (_maxima_of(rows, add=False) for rows in (ROWS_AT_ONCE, 1))
column_maxima_and_sums_of_four, column_maxima_and_sums_of_one = (
    _maxima_of(rows, add=True) for rows in (ROWS_AT_ONCE, 1)
)


def _quantise_columns(zero_point: int) -> Any:
    """(x, address, bytes of a row, steps, factors, out): PANEL columns of FOUR rows a step, rounded, as a panel."""

    @instructions(ANY, ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS)
    def quantise_columns(code: Code, x: Any, address: Any, stride: Any, steps: Any, factors: Any, out: Any) -> None:
        builder, (size, load, _) = code.builder, format_of(code.kinds[0])
        by = [code.load(V16F32, factors, code.i64(FLOAT_BYTES * LANES * number)) for number in range(PANEL_VECTORS)]
        shifts = [ir.Constant(V16I32, [8 * number] * LANES) for number in range(FOUR)]
        with code.loop(steps) as index:
            here = builder.add(address, builder.mul(index, builder.mul(stride, code.i64(FOUR))))
            to, rows = builder.add(out, builder.mul(index, code.i64(STEP))), code.addresses(here, stride, FOUR)
            for number, each in enumerate(by):
                four = ir.Constant(V16I32, [0] * LANES)
                for each_row, shift in zip(rows, shifts, strict=True):
                    numbers = load(code, each_row, code.i64(size * LANES * number))
                    byte = builder.and_(_nearest(code, numbers, each, zero_point), _LOW_BYTE)
                    four = builder.or_(four, builder.shl(byte, shift))
                code.store(four, to, code.i64(FLOAT_BYTES * LANES * number))

    return quantise_columns


quantise_columns, quantise_columns_signed = map(_quantise_columns, (ZERO_POINT, 0))
