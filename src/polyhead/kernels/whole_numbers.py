"""Matrices of float32 as whole numbers of 16 bits and scales, in pairs whose products are added up at once.

What is added up over, a row or a column, is scaled to a Euclidean length of LONGEST. So none of its numbers is longer,
and a sum of products of two of them no longer than LONGEST² < 2³⁰, however many they are (Cauchy and Schwarz): nothing
overflows. Where there are 512 numbers of about one size, they keep ten bits and a half; bfloat16 keeps eight.
Where a number is NaN or infinite, or its square is, the scale is too, and so is all that comes of it.
Shapes: N rows, N' of them with rows of zeros behind, a multiple of PAIRED; K and M columns, multiples of it.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from polyhead.kernels.borrowed import floats_at
from polyhead.kernels.compiler import intrinsic, ir, typed
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGER, INTEGERS, LANES, REAL, REALS, Code, every
from polyhead.kernels.vector_factors import turn_panel
from polyhead.kernels.vector_sums import FEWER, LINE, MOST, NUMBER, WIDTH, Left, rows_at_once

Floats = NDArray[np.float32]

LONGEST = np.float32(32766)
"""A unit less than 16 bits have room for, as lengths are rounded."""
PAIRED = 2 * WIDTH
"""Numbers in a vector of pairs."""
_SHORTS = ir.VectorType(ir.IntType(16), LANES)
_LOWER, _SIXTEEN = (ir.Constant(INTEGERS, [bits] * LANES) for bits in (0xFFFF, 16))
_AT_ONCE = 4
_BLOCK = LINE // 2
"""Bytes of a vector's numbers as pairs."""
_TO_WHOLE = every(1.5 * 2**23)
"""Added to a number of float32 it leaves the nearest whole number in the last bits."""


def may_round() -> bool:
    """Whether products of float32 need not be exact, by PyTorch's own setting."""
    return torch.get_float32_matmul_precision() != "highest"


@kernel
def scale_of(squares: float) -> Any:
    """Of numbers with this sum of squares: what a unit of their whole numbers stands for."""
    return np.float32(np.sqrt(squares)) / LONGEST


@kernel
def inverse(scale: Any) -> Any:
    """What numbers are multiplied by to be whole; those that are all 0 stay so."""
    return np.float32(1) / scale if scale != 0 else np.float32(0)


@kernel
def pair_and_turn_rows(x: Floats, out: int, scales: int, room: int) -> None:
    """x [M, K], its rows as a right factor's columns → out [M / WIDTH, K / 2, WIDTH] and scales [M].

    room: bytes for WIDTH rows of pairs.
    """
    (rows, columns), row, found = x.shape, x.strides[0], floats_at(scales, x.shape[0])
    steps = columns // 2
    for m in range(0, rows, WIDTH):
        count = min(WIDTH, rows - m)
        for n in range(count):
            place = x.ctypes.data + (m + n) * row
            found[m + n] = scale_of(_squares(place, LINE, columns // WIDTH))
            _pair_row(place, LINE, columns // WIDTH, inverse(found[m + n]), room + NUMBER * n * steps)
        turn_panel(room, NUMBER * steps, count, steps, out + NUMBER * m * steps)


@kernel
def pair_and_take_rows(x: Left, rows: int, columns: int, out: int, scales: int) -> None:
    """x [rows, K] → a turned left factor's out [rows · K / 2] and scales [rows]."""
    found, factors, size, blocks, done = (
        floats_at(scales, rows),
        np.empty(MOST, np.float32),
        2 * columns,
        columns // WIDTH,
        0,
    )
    by = factors.ctypes.data
    while done < rows:
        count = rows_at_once(rows - done)
        place, to = x.place + done * x.row, out + size * done
        for r in range(count):
            found[done + r] = scale_of(_squares(place + r * x.row, x.block, blocks))
            factors[r] = inverse(found[done + r])
        if count == MOST:
            _take_most(place, x.row, x.block, blocks, by, to)
        elif count == FEWER:
            _take_fewer(place, x.row, x.block, blocks, by, to)
        else:
            _pair_row(place, x.block, blocks, factors[0], to)
        done += count


@kernel
def pair_down(x: Floats, out: Floats, scales: Floats, total: Floats) -> None:
    """x [N, K], its columns' numbers in pairs → out [N' / 2, K] and scales [K]; sums over N are added to total [K]."""
    (rows, columns), row, place = x.shape, x.strides[0], x.ctypes.data
    factors, zeros, vectors = np.empty(columns, np.float32), np.zeros(columns, np.float32), columns // WIDTH
    _scale_columns(x, scales, factors, total)
    by, nothing = factors.ctypes.data, zeros.ctypes.data
    for n in range(0, rows, 2):
        other = place + (n + 1) * row if n + 1 < rows else nothing
        _pair_rows(place + n * row, other, vectors, by, out[n // 2].ctypes.data)
    out[(rows + 1) // 2 :] = 0


@kernel
def _scale_columns(x: Floats, scales: Floats, factors: Floats, total: Floats) -> None:
    """x [N, K] → scales [K] and what numbers are multiplied by [K]; sums over N are added to total [K].

    Four rows at a time, one after the other: a column alone would be read a line for every number.
    """
    (rows, columns), row, place = x.shape, x.strides[0], x.ctypes.data
    factors[:] = 0
    squares, sums, whole = factors.ctypes.data, total.ctypes.data, rows // _AT_ONCE * _AT_ONCE
    for n in range(0, whole, _AT_ONCE):
        _add_four(place + n * row, row, columns // WIDTH, squares, sums)
    for n in range(whole, rows):
        _add_one(place + n * row, row, columns // WIDTH, squares, sums)
    for k in range(columns):
        scales[k] = scale_of(factors[k])
        factors[k] = inverse(scales[k])


@kernel
def filled_with_pairs(count: int) -> int:
    """The next multiple of PAIRED."""
    return (count + PAIRED - 1) // PAIRED * PAIRED


def _whole(code: Code, numbers: Any, factors: Any) -> Any:
    """The nearest whole numbers to numbers times factors, in the lower half of each lane."""
    return code.builder.bitcast(code.call("llvm.fma.v16f32", REALS, numbers, factors, _TO_WHOLE), INTEGERS)


@intrinsic
def _squares(typing_context: Any, x: Any, block: Any, blocks: Any) -> Any:
    """(x, bytes between two vectors, vectors) → the sum of their numbers' squares; an even number of them, or one."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, block, blocks = arguments
        code = Code(builder)

        def step(index: Any, totals: list[Any]) -> list[Any]:
            here = builder.add(x, builder.mul(index, builder.add(block, block)))
            values = [code.load(REALS, here, place) for place in (code.long(0), block)]
            return [_added_square(code, *each) for each in zip(values, totals, strict=True)]

        twos = builder.lshr(blocks, code.long(1))
        return code.folded(builder.fadd(*code.repeat(twos, [every(0.0)] * 2, step)), builder.fadd)

    return typed("float32", ADDRESS, COUNT, COUNT), generate


def _added_square(code: Code, value: Any, total: Any) -> Any:
    return code.call("llvm.fma.v16f32", REALS, value, value, total)


def _add(rows: int) -> Any:
    """(x, a row's bytes, vectors in each, squares, total): rows' squares and numbers are added to what is there."""

    @intrinsic
    def add(typing_context: Any, x: Any, row: Any, vectors: Any, squares: Any, total: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            x, row, vectors, squares, total = arguments
            code = Code(builder)
            places = code.apart(x, row, rows)

            def step(index: Any, nothing: list[Any]) -> list[Any]:
                here = builder.mul(index, code.long(LINE))
                sums = [code.load(REALS, place, here) for place in (squares, total)]
                for place in places:
                    value = code.load(REALS, place, here)
                    sums = [_added_square(code, value, sums[0]), builder.fadd(sums[1], value)]
                for found, place in zip(sums, (squares, total), strict=True):
                    code.store(found, place, here)
                return nothing

            code.repeat(vectors, [], step)
            return context.get_dummy_value()

        return typed("void", ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS), generate

    return add


_add_four, _add_one = map(_add, (_AT_ONCE, 1))


@intrinsic
def _pair_row(typing_context: Any, x: Any, block: Any, blocks: Any, factor: Any, out: Any) -> Any:
    """(x, bytes between two vectors, vectors, factor, out): numbers, times the factor, as pairs of neighbours."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, block, blocks, factor, out = arguments
        code = Code(builder)
        factors = code.everywhere(factor)

        def step(index: Any, nothing: list[Any]) -> list[Any]:
            given = code.load(REALS, x, builder.mul(index, block))
            code.store(_paired(code, given, factors), out, builder.mul(index, code.long(_BLOCK)))
            return nothing

        code.repeat(blocks, [], step)
        return context.get_dummy_value()

    return typed("void", ADDRESS, COUNT, COUNT, "float32", ADDRESS), generate


def _paired(code: Code, numbers: Any, factors: Any) -> Any:
    """A vector of numbers, times factors, as half as many pairs of neighbours."""
    shorts = code.builder.trunc(_whole(code, numbers, factors), _SHORTS)
    return code.builder.bitcast(shorts, ir.VectorType(INTEGER, LANES // 2))


def _take(rows: int) -> Any:
    """(x, a row's bytes, bytes between two vectors, vectors, factors, out): rows' pairs beside each other."""

    @intrinsic
    def take(typing_context: Any, x: Any, row: Any, block: Any, blocks: Any, factors: Any, out: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            x, row, block, blocks, factors, out = arguments
            code = Code(builder)
            places = code.apart(x, row, rows)
            by = [code.everywhere(code.load(REAL, factors, code.long(NUMBER * r))) for r in range(rows)]

            def step(index: Any, nothing: list[Any]) -> list[Any]:
                here, to = builder.mul(index, block), builder.mul(index, code.long(_BLOCK * rows))
                pairs = [
                    _paired(code, code.load(REALS, place, here), each) for place, each in zip(places, by, strict=True)
                ]
                pairs += [ir.Constant(pairs[0].type, ir.Undefined)] * (LANES // 2 - rows)
                for number, beside in enumerate(code.turned(pairs)):
                    offset = builder.add(to, code.long(NUMBER * rows * number))
                    code.store(code.mixed(beside, beside, range(rows)), out, offset)
                return nothing

            code.repeat(blocks, [], step)
            return context.get_dummy_value()

        return typed("void", ADDRESS, COUNT, COUNT, COUNT, ADDRESS, ADDRESS), generate

    return take


@intrinsic
def _pair_rows(typing_context: Any, x: Any, other: Any, vectors: Any, factors: Any, out: Any) -> Any:
    """(a row, another, vectors in each, what a column is multiplied by, out): pairs of theirs."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, other, vectors, factors, out = arguments
        code = Code(builder)

        def step(index: Any, nothing: list[Any]) -> list[Any]:
            here = builder.mul(index, code.long(LINE))
            by = code.load(REALS, factors, here)
            one, two = (_whole(code, code.load(REALS, place, here), by) for place in (x, other))
            code.store(builder.or_(builder.and_(one, _LOWER), builder.shl(two, _SIXTEEN)), out, here)
            return nothing

        code.repeat(vectors, [], step)
        return context.get_dummy_value()

    return typed("void", ADDRESS, ADDRESS, COUNT, ADDRESS, ADDRESS), generate


_take_most, _take_fewer = map(_take, (MOST, FEWER))
