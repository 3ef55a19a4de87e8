"""Squares for a core's unit for matrices: 16 rows of 64 bytes, one after the other.

A product takes its left factor in rows of 32 numbers of bfloat16, and its right factor in rows of 16 pairs: two numbers
that are added up one after the other, side by side. Rows of a matrix whose *numbers* are added up become such pairs by
being turned, as 16 × 16 pairs; rows that are *themselves* added up by being mixed, two by two. Mixing by shifts instead
of shuffles puts the even columns in one square and the odd ones in another, and so they are in the sums, which a shift
puts together again.
"""

from typing import Any

from polyhead.kernels.compile import intrinsic, ir, types
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGER, INTEGERS, LANES, REALS, Code
from polyhead.kernels.tiles import BYTES, ROWS, Tiles, numbered

SQUARE = ROWS * BYTES
"""Bytes."""
NUMBERS = BYTES // 2
"""Of bfloat16 in a row."""
_SUMS, _LEFT, _RIGHT = 0, 2, 4
"""Tiles, two of each: while one is in use the next is loaded."""
_SIXTEEN, _UPPER = ir.Constant(INTEGERS, [16] * LANES), ir.Constant(INTEGERS, [0xFFFF0000] * LANES)
_LOWER, _HALF_A_STEP = ir.Constant(INTEGERS, [0xFFFF] * LANES), ir.Constant(INTEGERS, [0x8000] * LANES)
_NOTHING = ir.Constant(INTEGERS, [0] * LANES)


@intrinsic
def take(typing_context: Any, x: Any, stride: Any, rows: Any, out: Any) -> Any:
    """(x, a row's bytes, rows, out): x's first 64 bytes of each row → a square; behind the last row, that row again."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, stride, rows, out = arguments
        code = Code(builder)
        for row, vector in enumerate(_rows(code, x, stride, rows)):
            code.store(vector, out, code.long(BYTES * row))
        return context.get_dummy_value()

    return types.void(ADDRESS, COUNT, COUNT, ADDRESS), generate


@intrinsic
def turn(typing_context: Any, x: Any, stride: Any, rows: Any, out: Any) -> Any:
    """The same, its pairs turned: out[k, n] is the pair x[n, k]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, stride, rows, out = arguments
        code = Code(builder)
        for row, vector in enumerate(_turned(code, _rows(code, x, stride, rows))):
            code.store(vector, out, code.long(BYTES * row))
        return context.get_dummy_value()

    return types.void(ADDRESS, COUNT, COUNT, ADDRESS), generate


@intrinsic
def mix(typing_context: Any, x: Any, stride: Any, rows: Any, even: Any, odd: Any) -> Any:
    """(x, a row's bytes, rows, even, odd): row k of `even` is the pairs x[2k, n], x[2k + 1, n] of even n, below 32.

    Behind an odd number of rows there is one of zeros.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, stride, rows, even, odd = arguments
        code = Code(builder)

        def two(index: Any, nothing: list[Any]) -> list[Any]:
            first = builder.mul(index, code.long(2))
            second = builder.add(first, code.long(1))
            there = builder.icmp_signed("<", second, rows)
            upper = code.load(INTEGERS, x, builder.mul(stride, builder.select(there, second, first)))
            upper = builder.select(there, upper, _NOTHING)
            lower = code.load(INTEGERS, x, builder.mul(stride, first))
            place = builder.mul(index, code.long(BYTES))
            code.store(_beside(code, builder.and_(lower, _LOWER), builder.shl(upper, _SIXTEEN)), even, place)
            code.store(_beside(code, builder.lshr(lower, _SIXTEEN), builder.and_(upper, _UPPER)), odd, place)
            return nothing

        code.repeat(_halved(code, rows), [], two)
        return context.get_dummy_value()

    return types.void(ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS), generate


@intrinsic
def product(typing_context: Any, left: Any, next_left: Any, right: Any, next_right: Any, steps: Any, out: Any) -> Any:
    """(left, bytes to the next, right, bytes to the next, steps, out): the sums of `steps` products, float32."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, next_left, right, next_right, steps, out = arguments
        tiles = Tiles(builder)
        code = tiles.code
        tiles.do("tilezero", numbered(_SUMS))

        def step(index: Any, nothing: list[Any]) -> list[Any]:
            tiles.move("tileloadd64", _LEFT, builder.add(left, builder.mul(index, next_left)), code.long(BYTES))
            tiles.move("tileloadd64", _RIGHT, builder.add(right, builder.mul(index, next_right)), code.long(BYTES))
            tiles.do("tdpbf16ps", numbered(_SUMS), numbered(_LEFT), numbered(_RIGHT))
            return nothing

        code.repeat(steps, [], step)
        tiles.move("tilestored64", _SUMS, out, code.long(BYTES))
        return context.get_dummy_value()

    return types.void(ADDRESS, COUNT, ADDRESS, COUNT, COUNT, ADDRESS), generate


@intrinsic
def product_of_mixed(
    typing_context: Any,
    left: Any,
    next_left: Any,
    even: Any,
    odd: Any,
    steps: Any,
    room: Any,
    out: Any,
    stride: Any,
    rows: Any,
) -> Any:
    """(left, bytes to the next, even, odd, steps, room, out, a row's bytes, rows): 32 columns of bfloat16, `rows` rows.

    left times what `mix` gave, whose squares follow each other; room: two squares.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, next_left, even, odd, steps, room, out, stride, rows = arguments
        tiles = Tiles(builder)
        code = tiles.code
        for number in range(2):
            tiles.do("tilezero", numbered(_SUMS + number))

        def step(index: Any, nothing: list[Any]) -> list[Any]:
            tiles.move("tileloadd64", _LEFT, builder.add(left, builder.mul(index, next_left)), code.long(BYTES))
            for number, right in enumerate((even, odd)):
                here = builder.add(right, builder.mul(index, code.long(SQUARE)))
                tiles.move("tileloadd64", _RIGHT + number, here, code.long(BYTES))
                tiles.do("tdpbf16ps", numbered(_SUMS + number), numbered(_LEFT), numbered(_RIGHT + number))
            return nothing

        code.repeat(steps, [], step)
        second = builder.add(room, code.long(SQUARE))
        for number, place in enumerate((room, second)):
            tiles.move("tilestored64", _SUMS + number, place, code.long(BYTES))

        def row(index: Any, nothing: list[Any]) -> list[Any]:
            offset = builder.mul(index, code.long(BYTES))
            sums = [code.load(REALS, place, offset) for place in (room, second)]
            code.store(pairs_of(code, *sums), out, builder.mul(index, stride))
            return nothing

        code.repeat(rows, [], row)
        return context.get_dummy_value()

    kinds = ADDRESS, COUNT, ADDRESS, ADDRESS, COUNT, ADDRESS, ADDRESS, COUNT, COUNT
    return types.void(*kinds), generate


def pairs_of(code: Code, first: Any, second: Any) -> Any:
    """Two vectors of float32, rounded to bfloat16, side by side: 16 pairs."""
    builder = code.builder
    first, second = (builder.add(builder.bitcast(each, INTEGERS), _HALF_A_STEP) for each in (first, second))
    return _beside(code, builder.lshr(first, _SIXTEEN), builder.and_(second, _UPPER))


def parts_of(code: Code, pairs: Any) -> tuple[Any, Any]:
    """The inverse of `pairs_of`."""
    builder = code.builder
    first, second = builder.shl(pairs, _SIXTEEN), builder.and_(pairs, _UPPER)
    return builder.bitcast(first, REALS), builder.bitcast(second, REALS)


def _halved(code: Code, rows: Any) -> Any:
    """Half as many, rounded up."""
    return code.builder.lshr(code.builder.add(rows, code.long(1)), code.long(1))


def _beside(code: Code, lower: Any, upper: Any) -> Any:
    return code.builder.or_(lower, upper)


def _rows(code: Code, x: Any, stride: Any, rows: Any) -> list[Any]:
    """ROWS vectors; behind the last row, that row again."""
    builder, found = code.builder, []
    last = builder.mul(builder.sub(rows, code.long(1)), stride)
    for row in range(ROWS):
        place = builder.mul(stride, code.long(row))
        behind = builder.icmp_signed("<", rows, code.long(row + 1))
        found.append(code.load(INTEGERS, x, builder.select(behind, last, place)))
    return found


def _turned(code: Code, rows: list[Any]) -> list[Any]:
    """16 vectors of 16 → the same turned: of blocks of 1, 2, 4 and 8, those beside the diagonal change places."""
    rows = list(rows)
    for size in (8, 4, 2, 1):
        first = [place if not place & size else LANES + place - size for place in range(LANES)]
        second = [place + size if not place & size else LANES + place for place in range(LANES)]
        for one in range(LANES):
            if not one & size:
                both = rows[one], rows[one + size]
                rows[one], rows[one + size] = (_chosen(code, *both, places) for places in (first, second))
    return rows


def _chosen(code: Code, one: Any, other: Any, places: list[int]) -> Any:
    """Numbers of two vectors, the other's after the one's."""
    return code.builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(INTEGER, len(places)), places))
