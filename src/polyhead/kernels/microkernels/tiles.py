"""Products of tiles for attention: images of AMX's tiles, 16 rows of 64 bytes, one after the other.

Where a CPU has no AMX, accumulators in vector registers do the same. A product takes its left operand in rows of 32
numbers of bfloat16, and its right operand in rows of 16 pairs: two numbers that are added up one after the other, side
by side. Rows of a matrix whose *numbers* are added up become such pairs by being transposed, 16 × 16 pairs at a time;
rows that are *themselves* added up by being interleaved, two by two. To interleave by shifts instead of shuffles
puts the even columns in one tile and the odd ones in another, and so they are in the sums, which a shift joins again.
"""

from typing import Any

from polyhead.hardware import may_use_tiles
from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, I32, LANES, V16F32, V16I32, Code, instructions, splat
from polyhead.kernels.microkernels.amx import HAS_AMX, ROW_BYTES, ROWS, Tiles, tile_number
from polyhead.kernels.microkernels.registers import HAS_BFLOAT16_DOT, add_bfloat16_dot
from polyhead.kernels.numbers.bfloat16 import pack_pairs

TILE_BYTES = ROWS * ROW_BYTES
"""How many bytes a tile has."""
TILE_NUMBERS = ROW_BYTES // 2
"""How many numbers of bfloat16 a row of a tile has."""
ROWS_IN_REGISTERS = 8
"""How many rows have their sums in registers at once."""
_SUMS, _LEFT, _RIGHT = 0, 2, 4
"""Tiles: two for sums, one for rows, two for what they are multiplied by."""
_SIXTEEN, _LOWER, _UPPER, _NOTHING = (ir.Constant(V16I32, [bits] * LANES) for bits in (16, 0xFFFF, 0xFFFF0000, 0))


def is_supported() -> bool:
    """Whether this process may call the products below."""
    return may_use_tiles() if HAS_AMX else HAS_BFLOAT16_DOT


@instructions(ADDRESS, COUNT, COUNT, ADDRESS)
def copy_tile(code: Code, x: Any, stride: Any, rows: Any, out: Any) -> None:
    """(x, a row's bytes, rows, out): x's first 64 bytes of each row → a tile; behind the last row, that row again."""
    for row, vector in enumerate(_tile_rows(code, x, stride, rows)):
        code.store(vector, out, code.i64(ROW_BYTES * row))


@instructions(ADDRESS, COUNT, COUNT, ADDRESS)
def transpose_tile(code: Code, x: Any, stride: Any, rows: Any, out: Any) -> None:
    """(x, a row's bytes, rows, out): as `copy_tile`, but with the pairs transposed: out[k, n] is the pair x[n, k]."""
    for row, vector in enumerate(code.transposed(_tile_rows(code, x, stride, rows))):
        code.store(vector, out, code.i64(ROW_BYTES * row))


@instructions(ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS)
def interleave_tiles(code: Code, x: Any, stride: Any, rows: Any, even: Any, odd: Any) -> None:
    """(x, a row's bytes, rows, even, odd): row k of `even` is the pairs x[2k, n], x[2k + 1, n] of even n, below 32.

    Behind an odd number of rows there is one of zeros.
    """
    builder = code.builder
    with code.loop(_ceil_div(code, rows, 2)) as index:
        first = builder.mul(index, code.i64(2))
        second = builder.add(first, code.i64(1))
        there = builder.icmp_signed("<", second, rows)
        upper = code.load(V16I32, x, builder.mul(stride, builder.select(there, second, first)))
        upper = builder.select(there, upper, _NOTHING)
        lower = code.load(V16I32, x, builder.mul(stride, first))
        offset = builder.mul(index, code.i64(ROW_BYTES))
        code.store(builder.or_(builder.and_(lower, _LOWER), builder.shl(upper, _SIXTEEN)), even, offset)
        code.store(builder.or_(builder.lshr(lower, _SIXTEEN), builder.and_(upper, _UPPER)), odd, offset)


@instructions(ADDRESS, COUNT, COUNT, ADDRESS, COUNT, COUNT, ADDRESS)
def tile_product(
    code: Code, left: Any, next_left: Any, rows: Any, right: Any, next_right: Any, pairs: Any, out: Any
) -> None:
    """(left, bytes to the next, rows, right, bytes to the next, pairs, out): sums of products of pairs, float32.

    A row of a tile has 16 pairs; behind the last pair that is asked for, one factor must be 0 and the other a number.
    Only the first `rows` rows of the left tiles have to be computed.
    """
    _multiply(code, left, next_left, rows, [right], next_right, pairs, [out])


@instructions(ADDRESS, COUNT, ADDRESS, ADDRESS, COUNT, ADDRESS, ADDRESS, COUNT, COUNT)
def interleaved_product(
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
    """(left, bytes to the next, even, odd, pairs, workspace, out, a row's bytes, rows): [rows, 32] of bfloat16.

    out is left times what `interleave_tiles` gave, whose tiles follow each other; workspace: two tiles.
    """
    builder = code.builder
    addresses = [workspace, builder.add(workspace, code.i64(TILE_BYTES))]
    _multiply(code, left, next_left, rows, [even, odd], code.i64(TILE_BYTES), pairs, addresses)
    with code.loop(rows) as index:
        offset = builder.mul(index, code.i64(ROW_BYTES))
        sums = [code.load(V16F32, address, offset) for address in addresses]
        code.store(pack_pairs(code, *sums), out, builder.mul(index, stride))


def _multiply(
    code: Code, left: Any, next_left: Any, rows: Any, rights: list[Any], next_right: Any, pairs: Any, outs: list[Any]
) -> None:
    """Writes the products of the left tiles with each list of right ones to outs, on CPUs where `is_supported`."""
    if HAS_AMX:
        steps = _ceil_div(code, pairs, ROWS)
        _multiply_in_tiles(Tiles(code), left, next_left, rights, next_right, steps, outs)
    elif HAS_BFLOAT16_DOT:
        _multiply_in_vectors(code, left, next_left, rows, rights, next_right, pairs, outs)


def _multiply_in_tiles(
    tiles: Tiles, left: Any, next_left: Any, rights: list[Any], next_right: Any, steps: Any, outs: list[Any]
) -> None:
    builder, stride = tiles.code.builder, tiles.code.i64(ROW_BYTES)
    for number in range(len(rights)):
        tiles.do("tilezero", tile_number(_SUMS + number))
    with tiles.code.loop(steps) as index:
        tiles.move("tileloadd64", _LEFT, builder.add(left, builder.mul(index, next_left)), stride)
        for number, right in enumerate(rights):
            here = builder.add(right, builder.mul(index, next_right))
            tiles.move("tileloadd64", _RIGHT + number, here, stride)
            tiles.do("tdpbf16ps", tile_number(_SUMS + number), tile_number(_LEFT), tile_number(_RIGHT + number))
    for number, out in enumerate(outs):
        tiles.move("tilestored64", _SUMS + number, out, stride)


def _multiply_in_vectors(
    code: Code, left: Any, next_left: Any, rows: Any, rights: list[Any], next_right: Any, pairs: Any, outs: list[Any]
) -> None:
    """A vector of sums for each row of the left tiles and each list of right ones, so many rows at once."""
    builder, begin = code.builder, [splat(0.0)] * (ROWS_IN_REGISTERS * len(rights))
    with code.loop(_ceil_div(code, rows, ROWS_IN_REGISTERS)) as number:
        first = builder.mul(number, code.i64(ROWS_IN_REGISTERS * ROW_BYTES))

        def pair(index: Any, sums: list[Any]) -> list[Any]:
            step, within = builder.udiv(index, code.i64(ROWS)), builder.urem(index, code.i64(ROWS))
            here = builder.add(builder.mul(step, next_left), builder.mul(within, code.i64(4)))
            here = builder.add(left, builder.add(first, here))
            there = builder.add(builder.mul(step, next_right), builder.mul(within, code.i64(ROW_BYTES)))
            across = [code.load(V16I32, right, there) for right in rights]
            down = [code.broadcast(code.load(I32, here, code.i64(ROW_BYTES * row))) for row in range(ROWS_IN_REGISTERS)]
            factors = [(two, each) for two in down for each in across]
            return [add_bfloat16_dot(code, total, *both) for total, both in zip(sums, factors, strict=True)]

        totals = iter(code.fori_loop(pairs, begin, pair))
        for row in range(ROWS_IN_REGISTERS):
            for out in outs:
                code.store(next(totals), builder.add(out, first), code.i64(ROW_BYTES * row))


def _ceil_div(code: Code, count: Any, size: int) -> Any:
    """How many parts of this size `count` has; the last one may be smaller."""
    return code.builder.udiv(code.builder.add(count, code.i64(size - 1)), code.i64(size))


def _tile_rows(code: Code, x: Any, stride: Any, rows: Any) -> list[Any]:
    """ROWS vectors; behind the last row, that row again."""
    builder, rows_found = code.builder, []
    last = builder.mul(builder.sub(rows, code.i64(1)), stride)
    for row in range(ROWS):
        offset = builder.mul(stride, code.i64(row))
        is_behind = builder.icmp_signed("<", rows, code.i64(row + 1))
        rows_found.append(code.load(V16I32, x, builder.select(is_behind, last, offset)))
    return rows_found
