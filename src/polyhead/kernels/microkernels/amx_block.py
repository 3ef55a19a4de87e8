"""The microkernel of AMX, a core's unit for matrices: a block of 32 × 32 results of bfloat16 operands.

A block takes four of the eight tiles; two more hold rows of the left operand and two columns of the right one, so that
each tile that is loaded is multiplied twice. While a block is multiplied, the epilogue of the block before it, whose
sums lie in memory by then, is applied, and what is needed next is prefetched: unit, vectors and memory work side by
side. Tiles of the right operand are used once and then not soon, and the CPU is told so: else they would drive the left
operand's out of the core's first cache.
"""

from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGERS, Code, instructions
from polyhead.kernels.microkernels.amx import BYTES, ROWS, Tiles, numbered
from polyhead.kernels.microkernels.epilogue import BLOCK, ROW, RowEpilogue, apply_to_row
from polyhead.kernels.microkernels.tiles import SQUARE

SUMS = BLOCK * BLOCK * 4
"""How many bytes the sums of a block have."""
STEPS = 16
"""After how many products of tiles a block's sums wait for the rest: rows of so many stay in a core's first cache."""
ROWS_COPIED = STEPS * 2 * SQUARE
"""How many bytes the copied rows of a block have."""
_TILES = 4
_BIT = ir.IntType(1)


def _move_sums(tiles: Tiles, name: str, sums: Any) -> None:
    code = tiles.code
    for tile in range(_TILES):
        place = code.builder.add(sums, code.long(tile // 2 * ROWS * ROW + tile % 2 * BYTES))
        tiles.move(name, tile, place, code.long(ROW))


def _apply_to_some(
    code: Code,
    epilogue: RowEpilogue,
    index: Any,
    share: Any,
    unfinished: Any,
    last: list[Any],
    next_inputs: Any,
    next_out: Any,
) -> None:
    """Applies the epilogue to a share of the last block's rows, and prefetches what this block's epilogue will need."""
    builder = code.builder
    first = builder.mul(index, share)
    missing = builder.sub(unfinished, first)
    count = builder.select(builder.icmp_signed("<", share, missing), share, missing)
    with builder.if_then(builder.icmp_signed(">", count, code.long(0))), code.each(count) as index:
        number = builder.add(first, index)
        apply_to_row(code, epilogue, number, *last)
        code.fetch(builder.add(next_inputs, builder.mul(number, last[2])))
        code.fetch(builder.add(next_out, builder.mul(number, last[-1])), to_write=True)


def _begin(tiles: Tiles, fresh: Any, sums: Any) -> None:
    """Begins sums with 0 if they are fresh, else with what is in memory."""
    builder = tiles.code.builder
    with builder.if_else(builder.trunc(fresh, _BIT)) as (begin, go_on):
        with begin:
            for tile in range(_TILES):
                tiles.do("tilezero", numbered(tile))
        with go_on:
            _move_sums(tiles, "tileloadd64", sums)


def _multiply_upper(tiles: Tiles, rows: Any, row: Any, even: Any) -> None:
    """Loads the upper tile of rows and both tiles of columns, and multiplies them."""
    stride = tiles.code.long(BYTES)
    tiles.move("tileloadd64", 4, rows, row)
    tiles.move("tileloaddt164", 6, even, stride)
    tiles.do("tdpbf16ps", numbered(0), numbered(4), numbered(6))
    tiles.move("tileloaddt164", 7, tiles.code.builder.add(even, tiles.code.long(SQUARE)), stride)
    tiles.do("tdpbf16ps", numbered(1), numbered(4), numbered(7))


def _multiply_lower(tiles: Tiles, rows: Any, row: Any) -> None:
    """Loads the lower tile of rows and multiplies it by the columns that are there already."""
    tiles.move("tileloadd64", 5, rows, row)
    tiles.do("tdpbf16ps", numbered(2), numbered(5), numbered(6))
    tiles.do("tdpbf16ps", numbered(3), numbered(5), numbered(7))


def add_up_to(epilogue: RowEpilogue) -> Any:
    """The function that multiplies rows by columns of a block, and applies the epilogue to the block before it."""
    operands = ADDRESS, COUNT, COUNT, COUNT, ADDRESS, COUNT, COUNT, ADDRESS
    prefetched = ADDRESS, COUNT, COUNT, COUNT
    of_the_last = COUNT, ADDRESS, ADDRESS, COUNT, "float32", ADDRESS, COUNT

    @instructions(*operands, *prefetched, *of_the_last, ADDRESS, ADDRESS)
    def add_up(
        code: Code,
        left: Any,
        left_row: Any,
        half: Any,
        left_step: Any,
        right: Any,
        steps: Any,
        fresh: Any,
        sums: Any,
        ahead: Any,
        ahead_row: Any,
        ahead_step: Any,
        fetched: Any,
        unfinished: Any,
        last_sums: Any,
        inputs: Any,
        input_row: Any,
        factor: Any,
        out: Any,
        out_row: Any,
        next_inputs: Any,
        next_out: Any,
    ) -> None:
        """Adds products to a block's sums, from 0 on if `fresh`; of the last block `unfinished` rows are left."""
        builder = code.builder
        tiles, last = Tiles(code), [last_sums, inputs, input_row, factor, out, out_row]
        share = builder.udiv(builder.add(unfinished, builder.sub(steps, code.long(1))), steps)
        _begin(tiles, fresh, sums)
        with code.each(steps) as index:
            here = builder.add(left, builder.mul(index, left_step))
            even = builder.add(right, builder.mul(index, code.long(2 * SQUARE)))
            _multiply_upper(tiles, here, left_row, even)
            _apply_to_some(code, epilogue, index, share, unfinished, last, next_inputs, next_out)
            code.fetch_rows(builder.add(ahead, builder.mul(index, ahead_step)), ahead_row, fetched)
            _multiply_lower(tiles, builder.add(here, half), left_row)
        _move_sums(tiles, "tilestored64", sums)

    return add_up


@instructions(ADDRESS, COUNT, COUNT, ADDRESS)
def copy_rows(code: Code, x: Any, row: Any, steps: Any, out: Any) -> None:
    """(x, a row's bytes, steps, out): a block's rows, 64 bytes for each step, one after the other."""
    builder = code.builder
    width = builder.mul(steps, code.long(BYTES))
    with code.each(code.long(BLOCK)) as index:
        here, there = builder.add(x, builder.mul(index, row)), builder.add(out, builder.mul(index, width))
        with code.each(steps) as number:
            place = builder.mul(number, code.long(BYTES))
            code.store(code.load(INTEGERS, here, place), there, place)
