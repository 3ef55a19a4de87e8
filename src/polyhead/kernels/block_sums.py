"""A product of bfloat16, 32 × 32 sums at a time, on a core's unit for matrices; and what is done with its sums.

A block of sums is four tiles: of the eight that there are, two more hold rows of the left factor and two columns of the
right one, so that a tile that is fetched is multiplied twice. While sums are added up the last ones, which lie in
memory by then, are finished and written, and what is needed next is fetched: unit, vectors and memory work side by
side. Squares of the right factor are used once and then not soon, and the CPU is told so: else they would drive the
left factor's out of the core's first cache.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from polyhead.kernels.bfloat16 import pairs_of, parts_of
from polyhead.kernels.compile import intrinsic, ir, kernel, types
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGERS, REALS, Code, every
from polyhead.kernels.squares import SQUARE
from polyhead.kernels.tiles import BYTES, ROWS, Tiles, numbered

BLOCK = 2 * ROWS
"""Rows and columns of sums that are added up at once; numbers that a product of tiles adds up."""
SUMS = BLOCK * BLOCK * 4
"""Bytes of a block's."""
STEPS = 16
"""Products of tiles after which sums wait for the rest: a block's rows of so many stay in a core's first cache."""
ROWS_COPIED = STEPS * 2 * SQUARE
"""Bytes of a block's rows."""
_TILES = 4
_ROW = 2 * BYTES
"""Bytes of a row of sums."""
_NOTHING = every(0.0)
_BIT = ir.IntType(1)

Finish = Callable[[Code, list[Any], list[Any], Any], list[Any]]
"""Sums, what is seen beside them and a factor → what is written; even columns, and odd ones."""


class Left(NamedTuple):
    """Where a product's left factor is: an address, and how many bytes lie between …"""

    place: int
    row: int
    """… two rows of a tile,"""
    half: int
    """… a block's first tile and its second,"""
    step: int
    """… two tiles beside each other,"""
    block: int
    """… and the beginnings of two blocks, per row between them."""


class Seen(NamedTuple):
    """What finished sums depend on: bfloat16 at an address, and a factor."""

    place: int
    row: int
    """Bytes between two rows: of a bias, none."""
    factor: float


class Written(NamedTuple):
    """Where a product goes, as bfloat16: an address, and the bytes between two rows."""

    place: int
    row: int


def product_of(finish: Finish) -> Any:
    """The kernel of a product whose sums are finished so."""
    add_up, finish_all = _add_up(finish), _finish_all(finish)

    @kernel
    def product(
        left: Left, rows: int, right: int, columns: int, steps: int, seen: Seen, out: Written, room: int
    ) -> None:
        """left [rows, 32 · steps] times right, in squares, [32 · steps, columns] → out [rows, columns].

        Of `rows` there are BLOCK at least; the last block begins early rather than end late. right: for each BLOCK of
        columns squares of the even ones and of the odd ones, in turn. room: `bytes_for`.
        """
        factor, copied = np.float32(seen.factor), room + columns // BLOCK * SUMS
        last_sums, last_seen, last_out, unfinished = room, seen.place, out.place, 0
        fetched = (BLOCK * BLOCK + columns - 1) // columns  # rows of the next block, during each of this one's columns
        for i in range(0, rows, BLOCK):
            first, following = min(i, rows - BLOCK), min(i + BLOCK, rows - BLOCK)
            for s in range(0, steps, STEPS):
                here, ends = left.place + first * left.block + s * left.step, s + STEPS >= steps
                ahead = left.place + following * left.block if ends else here + STEPS * left.step
                row, half, step, count = left.row, left.half, left.step, min(STEPS, steps - s)
                if steps > STEPS and left.row > BYTES:  # rows far apart have few places in the cache
                    copy_rows(here, row, count, copied)
                    here, row, half, step = copied, BYTES * count, ROWS * BYTES * count, BYTES
                for j in range(0, columns, BLOCK):
                    sums = room if steps <= STEPS else room + j // BLOCK * SUMS
                    looks, goes = seen.place + first * seen.row + 2 * j, out.place + first * out.row + 2 * j
                    add_up(
                        here, row, half, step, right + j * steps * BYTES + 2 * s * SQUARE, count, s == 0, sums,
                        ahead + min(j // BLOCK * fetched, BLOCK - 1) * left.row, left.row, left.step, fetched,
                        unfinished, last_sums, last_seen, seen.row, factor, last_out, out.row, looks, goes,
                    )  # fmt: skip
                    unfinished = 0
                    if ends:
                        last_sums, last_seen, last_out, unfinished = sums, looks, goes, BLOCK
        finish_all(last_sums, last_seen, seen.row, factor, last_out, out.row)

    return product


def bytes_for(columns: int) -> int:
    """Room of a product of so many columns."""
    return columns // BLOCK * SUMS + ROWS_COPIED


def plain(code: Code, sums: list[Any], seen: list[Any], factor: Any) -> list[Any]:
    """Nothing more."""
    return sums


def added(code: Code, sums: list[Any], seen: list[Any], factor: Any) -> list[Any]:
    """Plus a bias."""
    return [code.builder.fadd(*both) for both in zip(sums, seen, strict=True)]


def activated(code: Code, sums: list[Any], seen: list[Any], factor: Any) -> list[Any]:
    """Then ReLU."""
    return [code.larger(each, _NOTHING) for each in added(code, sums, seen, factor)]


def gated(code: Code, sums: list[Any], seen: list[Any], factor: Any) -> list[Any]:
    """Scaled where what a ReLU let pass is seen, else 0."""
    builder, factors = code.builder, code.everywhere(factor)
    passed = [builder.fcmp_unordered("!=", each, _NOTHING) for each in seen]
    return [builder.select(yes, builder.fmul(each, factors), _NOTHING) for yes, each in zip(passed, sums, strict=True)]


def _row(
    code: Code, finish: Finish, index: Any, sums: Any, seen: Any, seen_row: Any, factor: Any, out: Any, out_row: Any
) -> None:
    """A row of a block finished."""
    builder = code.builder
    found = [code.load(REALS, sums, _place(code, index, _ROW, half)) for half in (0, BYTES)]
    others = list(parts_of(code, code.load(INTEGERS, seen, builder.mul(index, seen_row))))
    code.store(pairs_of(code, *finish(code, found, others, factor)), out, builder.mul(index, out_row))


def _place(code: Code, index: Any, size: int, offset: int = 0) -> Any:
    return code.builder.add(code.builder.mul(index, code.long(size)), code.long(offset))


def _move_sums(tiles: Tiles, name: str, sums: Any) -> None:
    code = tiles.code
    for tile in range(_TILES):
        place = code.builder.add(sums, code.long(tile // 2 * ROWS * _ROW + tile % 2 * BYTES))
        tiles.move(name, tile, place, code.long(_ROW))


def _add_up(finish: Finish) -> Any:
    @intrinsic
    def add_up(
        typing_context: Any,
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
        seen: Any,
        seen_row: Any,
        factor: Any,
        out: Any,
        out_row: Any,
        next_seen: Any,
        next_out: Any,
    ) -> Any:
        """A block's sums, from 0 if `fresh`; meanwhile so many rows of the last one's are finished."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            left, left_row, half, left_step, right, steps, fresh, sums, *others = arguments
            ahead, ahead_row, ahead_step, fetched, unfinished, *last, next_seen, next_out = others
            tiles = Tiles(builder)
            code = tiles.code
            share = builder.udiv(builder.add(unfinished, builder.sub(steps, code.long(1))), steps)
            with builder.if_else(builder.trunc(fresh, _BIT)) as (begin, go_on):
                with begin:
                    for tile in range(_TILES):
                        tiles.do("tilezero", numbered(tile))
                with go_on:
                    _move_sums(tiles, "tileloadd64", sums)

            def finish_some(index: Any) -> None:
                first = builder.mul(index, share)
                missing = builder.sub(unfinished, first)
                count = builder.select(builder.icmp_signed("<", share, missing), share, missing)

                def one(number: Any, nothing: list[Any]) -> list[Any]:
                    number = builder.add(first, number)
                    _row(code, finish, number, *last)
                    code.fetch(builder.add(next_seen, builder.mul(number, last[2])))
                    code.fetch(builder.add(next_out, builder.mul(number, last[-1])), to_write=True)
                    return nothing

                with builder.if_then(builder.icmp_signed(">", count, code.long(0))):
                    code.repeat(count, [], one)

            def fetch_some(index: Any) -> None:
                place = builder.add(ahead, builder.mul(index, ahead_step))

                def one(number: Any, nothing: list[Any]) -> list[Any]:
                    code.fetch(builder.add(place, builder.mul(number, ahead_row)))
                    return nothing

                code.repeat(fetched, [], one)

            def step(index: Any, nothing: list[Any]) -> list[Any]:
                here = builder.add(left, builder.mul(index, left_step))
                even = builder.add(right, _place(code, index, 2 * SQUARE))
                tiles.move("tileloadd64", 4, here, left_row)
                tiles.move("tileloaddt164", 6, even, code.long(BYTES))
                tiles.do("tdpbf16ps", numbered(0), numbered(4), numbered(6))
                tiles.move("tileloaddt164", 7, builder.add(even, code.long(SQUARE)), code.long(BYTES))
                tiles.do("tdpbf16ps", numbered(1), numbered(4), numbered(7))
                finish_some(index)
                fetch_some(index)
                tiles.move("tileloadd64", 5, builder.add(here, half), left_row)
                tiles.do("tdpbf16ps", numbered(2), numbered(5), numbered(6))
                tiles.do("tdpbf16ps", numbered(3), numbered(5), numbered(7))
                return nothing

            code.repeat(steps, [], step)
            _move_sums(tiles, "tilestored64", sums)
            return context.get_dummy_value()

        factors = ADDRESS, COUNT, COUNT, COUNT, ADDRESS, COUNT, COUNT, ADDRESS
        fetching = ADDRESS, COUNT, COUNT, COUNT, COUNT
        finishing = ADDRESS, ADDRESS, COUNT, types.float32, ADDRESS, COUNT, ADDRESS, ADDRESS
        return types.void(*factors, *fetching, *finishing), generate

    return add_up


def _finish_all(finish: Finish) -> Any:
    @intrinsic
    def finish_all(
        typing_context: Any, sums: Any, seen: Any, seen_row: Any, factor: Any, out: Any, out_row: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            code = Code(builder)

            def one(index: Any, nothing: list[Any]) -> list[Any]:
                _row(code, finish, index, *arguments)
                return nothing

            code.repeat(code.long(BLOCK), [], one)
            return context.get_dummy_value()

        return types.void(ADDRESS, ADDRESS, COUNT, types.float32, ADDRESS, COUNT), generate

    return finish_all


@intrinsic
def copy_rows(typing_context: Any, x: Any, row: Any, steps: Any, out: Any) -> Any:
    """(x, a row's bytes, steps, out): a block's rows, 64 bytes for each step, one after the other."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, row, steps, out = arguments
        code = Code(builder)
        width = builder.mul(steps, code.long(BYTES))

        def one(index: Any, nothing: list[Any]) -> list[Any]:
            here, there = builder.add(x, builder.mul(index, row)), builder.add(out, builder.mul(index, width))

            def step(number: Any, nothing: list[Any]) -> list[Any]:
                place = _place(code, number, BYTES)
                code.store(code.load(INTEGERS, here, place), there, place)
                return nothing

            return code.repeat(steps, nothing, step)

        code.repeat(code.long(BLOCK), [], one)
        return context.get_dummy_value()

    return types.void(ADDRESS, COUNT, COUNT, ADDRESS), generate
