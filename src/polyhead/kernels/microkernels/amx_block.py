"""The microkernel of AMX, a core's unit for matrices: a block of 32 × 32 results of bfloat16 operands.

A block takes four of the eight tiles; two more hold rows of the left operand and two columns of the right one, so that
each tile that is loaded is multiplied twice. While a block is multiplied, the epilogue of the block before it, whose
sums lie in memory by then, is applied, and what is needed next is prefetched: unit, vectors and memory work side by
side. Tiles of the right operand are used once and then not soon, and the CPU is told so: else they would drive the
tiles of the left operand out of the core's first cache.
"""

from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, V16I32, Code, instructions
from polyhead.kernels.microkernels.amx import ROW_BYTES, ROWS, Tiles, tile_number
from polyhead.kernels.microkernels.epilogue import ACCUMULATOR_ROW, BLOCK, RowEpilogue, apply_to_row
from polyhead.kernels.microkernels.tiles import TILE_BYTES

ACCUMULATOR_BYTES = BLOCK * BLOCK * 4
"""How many bytes the sums of a block have."""
STEPS = 16
"""How many products of tiles are added to a block's sums at a time: rows of so many stay in a core's first cache."""
COPIED_BYTES = STEPS * 2 * TILE_BYTES
"""How many bytes the copied rows of a block have."""
_TILES = 4
_BIT = ir.IntType(1)


def _move_accumulators(tiles: Tiles, name: str, sums: Any) -> None:
    code = tiles.code
    for tile in range(_TILES):
        address = code.builder.add(sums, code.i64(tile // 2 * ROWS * ACCUMULATOR_ROW + tile % 2 * ROW_BYTES))
        tiles.move(name, tile, address, code.i64(ACCUMULATOR_ROW))


def _apply_to_share(
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
    with builder.if_then(builder.icmp_signed(">", count, code.i64(0))), code.loop(count) as index:
        number = builder.add(first, index)
        apply_to_row(code, epilogue, number, *last)
        code.prefetch(builder.add(next_inputs, builder.mul(number, last[2])))
        code.prefetch(builder.add(next_out, builder.mul(number, last[-1])), to_write=True)


def _begin(tiles: Tiles, fresh: Any, sums: Any) -> None:
    """Begins sums with 0 if they are fresh, else with what is in memory."""
    builder = tiles.code.builder
    with builder.if_else(builder.trunc(fresh, _BIT)) as (begin, go_on):
        with begin:
            for tile in range(_TILES):
                tiles.do("tilezero", tile_number(tile))
        with go_on:
            _move_accumulators(tiles, "tileloadd64", sums)


def _multiply_upper(tiles: Tiles, rows: Any, stride: Any, even: Any) -> None:
    """Loads the upper tile of rows and both tiles of columns, and multiplies them."""
    tile_row = tiles.code.i64(ROW_BYTES)
    tiles.move("tileloadd64", 4, rows, stride)
    tiles.move("tileloaddt164", 6, even, tile_row)
    tiles.do("tdpbf16ps", tile_number(0), tile_number(4), tile_number(6))
    tiles.move("tileloaddt164", 7, tiles.code.builder.add(even, tiles.code.i64(TILE_BYTES)), tile_row)
    tiles.do("tdpbf16ps", tile_number(1), tile_number(4), tile_number(7))


def _multiply_lower(tiles: Tiles, rows: Any, stride: Any) -> None:
    """Loads the lower tile of rows and multiplies it by the columns that are there already."""
    tiles.move("tileloadd64", 5, rows, stride)
    tiles.do("tdpbf16ps", tile_number(2), tile_number(5), tile_number(6))
    tiles.do("tdpbf16ps", tile_number(3), tile_number(5), tile_number(7))


def block_microkernel(epilogue: RowEpilogue) -> Any:
    """The function that multiplies rows by columns of a block, and applies the epilogue to the block before it."""
    operands = ADDRESS, COUNT, COUNT, COUNT, ADDRESS, COUNT, COUNT, ADDRESS
    of_prefetched = ADDRESS, COUNT, COUNT, COUNT
    of_the_last = COUNT, ADDRESS, ADDRESS, COUNT, "float32", ADDRESS, COUNT

    @instructions(*operands, *of_prefetched, *of_the_last, ADDRESS, ADDRESS)
    def add_up(
        code: Code,
        left: Any,
        left_stride: Any,
        half: Any,
        left_step: Any,
        right: Any,
        steps: Any,
        fresh: Any,
        sums: Any,
        prefetched: Any,
        prefetched_stride: Any,
        prefetched_step: Any,
        lines: Any,
        unfinished: Any,
        last_sums: Any,
        inputs: Any,
        input_stride: Any,
        factor: Any,
        out: Any,
        out_stride: Any,
        next_inputs: Any,
        next_out: Any,
    ) -> None:
        """Adds products to a block's sums, from 0 if `fresh`; `unfinished` rows of the last block get an epilogue."""
        builder = code.builder
        tiles, last = Tiles(code), [last_sums, inputs, input_stride, factor, out, out_stride]
        share = builder.udiv(builder.add(unfinished, builder.sub(steps, code.i64(1))), steps)
        _begin(tiles, fresh, sums)
        with code.loop(steps) as index:
            here = builder.add(left, builder.mul(index, left_step))
            even = builder.add(right, builder.mul(index, code.i64(2 * TILE_BYTES)))
            _multiply_upper(tiles, here, left_stride, even)
            _apply_to_share(code, epilogue, index, share, unfinished, last, next_inputs, next_out)
            code.prefetch_rows(builder.add(prefetched, builder.mul(index, prefetched_step)), prefetched_stride, lines)
            _multiply_lower(tiles, builder.add(here, half), left_stride)
        _move_accumulators(tiles, "tilestored64", sums)

    return add_up


@instructions(ADDRESS, COUNT, COUNT, ADDRESS)
def copy_rows(code: Code, x: Any, stride: Any, steps: Any, out: Any) -> None:
    """(x, a row's bytes, steps, out): a block's rows, 64 bytes for each step, one after the other."""
    builder = code.builder
    width = builder.mul(steps, code.i64(ROW_BYTES))
    with code.loop(code.i64(BLOCK)) as index:
        here, there = builder.add(x, builder.mul(index, stride)), builder.add(out, builder.mul(index, width))
        with code.loop(steps) as number:
            offset = builder.mul(number, code.i64(ROW_BYTES))
            code.store(code.load(V16I32, here, offset), there, offset)
