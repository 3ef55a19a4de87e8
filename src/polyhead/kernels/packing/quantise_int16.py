"""Numbers of float32 to whole ones of 16 bits, in pairs: the inner loops.

Vectors have 16 numbers. A pair is a number of 32 bits, the first of the two in its lower half.
"""

from typing import Any

from polyhead.kernels.compiler import intrinsic, ir, typed
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGER, INTEGERS, LANES, REAL, REALS, Code, every
from polyhead.kernels.microkernels.row_counts import FEWER, MOST
from polyhead.kernels.microkernels.simd import LINE, NUMBER

AT_ONCE = 4
"""Rows that `add_four` takes."""
_SHORTS = ir.VectorType(ir.IntType(16), LANES)
_LOWER, _SIXTEEN = (ir.Constant(INTEGERS, [bits] * LANES) for bits in (0xFFFF, 16))
_BLOCK = LINE // 2
"""Bytes of a vector's numbers as pairs."""
_TO_WHOLE = every(1.5 * 2**23)
"""Added to a number of float32 it leaves the nearest whole number in the last bits."""


def whole(code: Code, numbers: Any, factors: Any) -> Any:
    """The nearest whole numbers to numbers times factors, in the lower half of each lane."""
    return code.builder.bitcast(code.multiply_add(numbers, factors, _TO_WHOLE), INTEGERS)


@intrinsic
def squares(typing_context: Any, x: Any, block: Any, blocks: Any) -> Any:
    """(x, bytes between two vectors, vectors) → the sum of their numbers' squares; an even number of vectors."""

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
    return code.multiply_add(value, value, total)


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


add_four, add_one = map(_add, (AT_ONCE, 1))


@intrinsic
def pair_row(typing_context: Any, x: Any, block: Any, blocks: Any, factor: Any, out: Any) -> Any:
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
    shorts = code.builder.trunc(whole(code, numbers, factors), _SHORTS)
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
def pair_rows(typing_context: Any, x: Any, other: Any, vectors: Any, factors: Any, out: Any) -> Any:
    """(a row, another, vectors in each, what a column is multiplied by, out): pairs of theirs."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, other, vectors, factors, out = arguments
        code = Code(builder)

        def step(index: Any, nothing: list[Any]) -> list[Any]:
            here = builder.mul(index, code.long(LINE))
            by = code.load(REALS, factors, here)
            one, two = (whole(code, code.load(REALS, place, here), by) for place in (x, other))
            code.store(builder.or_(builder.and_(one, _LOWER), builder.shl(two, _SIXTEEN)), out, here)
            return nothing

        code.repeat(vectors, [], step)
        return context.get_dummy_value()

    return typed("void", ADDRESS, ADDRESS, COUNT, ADDRESS, ADDRESS), generate


take_most, take_fewer = map(_take, (MOST, FEWER))
