"""Squares, as a core's unit for matrices multiplies them: 16 rows of 64 bytes, one after the other.

Where there is no such unit, sums of vectors in registers do the same. A product takes its left operand in rows of 32
numbers of bfloat16, and its right operand in rows of 16 pairs: two numbers that are added up one after the other, side
by side. Rows of a matrix whose *numbers* are added up become such pairs by being transposed, 16 × 16 pairs at a time;
rows that are *themselves* added up by being mixed, two by two. Mixing by shifts instead of shuffles puts the even
columns in one square and the odd ones in another, and so they are in the sums, which a shift puts together again.
"""

from typing import Any

from polyhead.hardware import may_use_tiles
from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGER, INTEGERS, LANES, REALS, Code, every, instructions
from polyhead.kernels.microkernels.amx import BYTES, HAS_UNIT, ROWS, Tiles, numbered
from polyhead.kernels.microkernels.registers import ADDS_PAIRS, add_pairs
from polyhead.kernels.numbers.bfloat16 import pairs_of

SQUARE = ROWS * BYTES
"""How many bytes a square has."""
NUMBERS = BYTES // 2
"""How many numbers of bfloat16 a row of a square has."""
AT_ONCE = 8
"""How many rows have their sums in registers at once."""
_SUMS, _LEFT, _RIGHT = 0, 2, 4
"""Tiles: two for sums, one for rows, two for what they are multiplied by."""
_SIXTEEN, _LOWER, _UPPER, _NOTHING = (ir.Constant(INTEGERS, [bits] * LANES) for bits in (16, 0xFFFF, 0xFFFF0000, 0))


def is_supported() -> bool:
    """Whether this process may call the products below."""
    return may_use_tiles() if HAS_UNIT else ADDS_PAIRS


@instructions(ADDRESS, COUNT, COUNT, ADDRESS)
def take(code: Code, x: Any, stride: Any, rows: Any, out: Any) -> None:
    """(x, a row's bytes, rows, out): x's first 64 bytes of each row → a square; behind the last row, that row again."""
    for row, vector in enumerate(_rows(code, x, stride, rows)):
        code.store(vector, out, code.long(BYTES * row))


@instructions(ADDRESS, COUNT, COUNT, ADDRESS)
def transpose(code: Code, x: Any, stride: Any, rows: Any, out: Any) -> None:
    """The same, its pairs transposed: out[k, n] is the pair x[n, k]."""
    for row, vector in enumerate(code.transposed(_rows(code, x, stride, rows))):
        code.store(vector, out, code.long(BYTES * row))


@instructions(ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS)
def mix(code: Code, x: Any, stride: Any, rows: Any, even: Any, odd: Any) -> None:
    """(x, a row's bytes, rows, even, odd): row k of `even` is the pairs x[2k, n], x[2k + 1, n] of even n, below 32.

    Behind an odd number of rows there is one of zeros.
    """
    builder = code.builder
    with code.each(_parts(code, rows, 2)) as index:
        first = builder.mul(index, code.long(2))
        second = builder.add(first, code.long(1))
        there = builder.icmp_signed("<", second, rows)
        upper = code.load(INTEGERS, x, builder.mul(stride, builder.select(there, second, first)))
        upper = builder.select(there, upper, _NOTHING)
        lower = code.load(INTEGERS, x, builder.mul(stride, first))
        place = builder.mul(index, code.long(BYTES))
        code.store(builder.or_(builder.and_(lower, _LOWER), builder.shl(upper, _SIXTEEN)), even, place)
        code.store(builder.or_(builder.lshr(lower, _SIXTEEN), builder.and_(upper, _UPPER)), odd, place)


@instructions(ADDRESS, COUNT, COUNT, ADDRESS, COUNT, COUNT, ADDRESS)
def product(
    code: Code, left: Any, next_left: Any, rows: Any, right: Any, next_right: Any, pairs: Any, out: Any
) -> None:
    """(left, bytes to the next, rows, right, bytes to the next, pairs, out): sums of products of pairs, float32.

    A square has 16 pairs; behind the last one that is asked for one factor is 0, the other one a number. Of the left
    rows only some may be wanted.
    """
    _multiply(code, left, next_left, rows, [right], next_right, pairs, [out])


@instructions(ADDRESS, COUNT, ADDRESS, ADDRESS, COUNT, ADDRESS, ADDRESS, COUNT, COUNT)
def product_of_mixed(
    code: Code,
    left: Any,
    next_left: Any,
    even: Any,
    odd: Any,
    pairs: Any,
    workspace: Any,
    out: Any,
    stride: Any,
    rows: Any,
) -> None:
    """(left, bytes to the next, even, odd, pairs, room, out, a row's bytes, rows): 32 columns of bfloat16, `rows` rows.

    left times what `mix` gave, whose squares follow each other; room: two squares.
    """
    builder = code.builder
    places = [workspace, builder.add(workspace, code.long(SQUARE))]
    _multiply(code, left, next_left, rows, [even, odd], code.long(SQUARE), pairs, places)
    with code.each(rows) as index:
        offset = builder.mul(index, code.long(BYTES))
        sums = [code.load(REALS, place, offset) for place in places]
        code.store(pairs_of(code, *sums), out, builder.mul(index, stride))


def _multiply(
    code: Code, left: Any, next_left: Any, rows: Any, rights: list[Any], next_right: Any, pairs: Any, outs: list[Any]
) -> None:
    """The same left squares times each list of right ones. `is_supported` says where."""
    if HAS_UNIT:
        steps = _parts(code, pairs, ROWS)
        _multiply_in_tiles(Tiles(code), left, next_left, rights, next_right, steps, outs)
    elif ADDS_PAIRS:
        _multiply_in_vectors(code, left, next_left, rows, rights, next_right, pairs, outs)


def _multiply_in_tiles(
    tiles: Tiles, left: Any, next_left: Any, rights: list[Any], next_right: Any, steps: Any, outs: list[Any]
) -> None:
    builder, stride = tiles.code.builder, tiles.code.long(BYTES)
    for number in range(len(rights)):
        tiles.do("tilezero", numbered(_SUMS + number))
    with tiles.code.each(steps) as index:
        tiles.move("tileloadd64", _LEFT, builder.add(left, builder.mul(index, next_left)), stride)
        for number, right in enumerate(rights):
            here = builder.add(right, builder.mul(index, next_right))
            tiles.move("tileloadd64", _RIGHT + number, here, stride)
            tiles.do("tdpbf16ps", numbered(_SUMS + number), numbered(_LEFT), numbered(_RIGHT + number))
    for number, out in enumerate(outs):
        tiles.move("tilestored64", _SUMS + number, out, stride)


def _multiply_in_vectors(
    code: Code, left: Any, next_left: Any, rows: Any, rights: list[Any], next_right: Any, pairs: Any, outs: list[Any]
) -> None:
    """A vector of sums for each row of the left squares and each list of right ones, so many rows at once."""
    builder, begin = code.builder, [every(0.0)] * (AT_ONCE * len(rights))
    with code.each(_parts(code, rows, AT_ONCE)) as number:
        first = builder.mul(number, code.long(AT_ONCE * BYTES))

        def pair(index: Any, sums: list[Any]) -> list[Any]:
            step, within = builder.udiv(index, code.long(ROWS)), builder.urem(index, code.long(ROWS))
            here = builder.add(builder.mul(step, next_left), builder.mul(within, code.long(4)))
            here = builder.add(left, builder.add(first, here))
            there = builder.add(builder.mul(step, next_right), builder.mul(within, code.long(BYTES)))
            across = [code.load(INTEGERS, right, there) for right in rights]
            down = [code.everywhere(code.load(INTEGER, here, code.long(BYTES * row))) for row in range(AT_ONCE)]
            factors = [(two, each) for two in down for each in across]
            return [add_pairs(code, total, *both) for total, both in zip(sums, factors, strict=True)]

        totals = iter(code.repeat(pairs, begin, pair))
        for row in range(AT_ONCE):
            for out in outs:
                code.store(next(totals), builder.add(out, first), code.long(BYTES * row))


def _parts(code: Code, count: Any, size: int) -> Any:
    """Of that size, the last one may be smaller."""
    return code.builder.udiv(code.builder.add(count, code.long(size - 1)), code.long(size))


def _rows(code: Code, x: Any, stride: Any, rows: Any) -> list[Any]:
    """ROWS vectors; behind the last row, that row again."""
    builder, found = code.builder, []
    last = builder.mul(builder.sub(rows, code.long(1)), stride)
    for row in range(ROWS):
        place = builder.mul(stride, code.long(row))
        behind = builder.icmp_signed("<", rows, code.long(row + 1))
        found.append(code.load(INTEGERS, x, builder.select(behind, last, place)))
    return found
