"""A product of bfloat16 on AMX, a core's unit for matrices: a block of results at a time, with its epilogue."""

from typing import Any, NamedTuple

import numpy as np

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import BYTES, ROWS
from polyhead.kernels.microkernels.amx_block import ROWS_COPIED, STEPS, SUMS, add_up_to, copy_rows
from polyhead.kernels.microkernels.epilogue import BLOCK, RowEpilogue, apply_to_block, plain
from polyhead.kernels.microkernels.tiles import SQUARE


class LeftTiles(NamedTuple):
    """Where the tiles of a product's left operand lie."""

    place: int
    """The address of the first tile."""
    row: int
    """Bytes between two rows of a tile."""
    half: int
    """Bytes between the two tiles of a block, one below the other."""
    step: int
    """Bytes between two tiles beside each other."""
    block: int
    """Bytes between the beginnings of two blocks, for each row between them."""


class TileEpilogueInput(NamedTuple):
    """What an epilogue reads beside the accumulators."""

    place: int
    """The address of a matrix, or of a bias."""
    row: int
    """Bytes between two rows; 0 for a bias, which is every row's."""
    block: int
    """Bytes between two blocks of columns."""
    factor: float | np.float32
    """What the gate multiplies by."""


class Written(NamedTuple):
    """Where the result of a product goes."""

    place: int
    """The address of its first number."""
    row: int
    """Bytes between two rows."""
    block: int
    """Bytes between two blocks of columns."""


class Later(NamedTuple):
    """What is needed after a product and prefetched while it is made: BLOCK lines of memory for each of its steps."""

    place: int
    """The address of the first line."""
    line: int
    """Bytes between two lines of a step."""
    step: int
    """Bytes between two steps."""


@kernel
def next_of(left: LeftTiles) -> Later:
    """The rows of a left operand, as what is needed later."""
    return Later(left.place, left.row, left.step)


@kernel
def _part_of(later: Later, step: int) -> Later:
    """What is needed later from a step on."""
    return Later(later.place + step * later.step, later.line, later.step)


@kernel
def _lines_at_once(columns: int) -> int:
    """How many of a step's BLOCK lines are prefetched at each block of columns, so that none is left after the last."""
    return (BLOCK * BLOCK + columns - 1) // columns


@kernel
def _lines_of(later: Later, column: int, count: int) -> int:
    """The address of the first line that is prefetched at a column."""
    return later.place + min(column // BLOCK * count, BLOCK - 1) * later.line


def product_of(epilogue: RowEpilogue) -> Any:
    """The kernel of a product with this epilogue."""
    add_up, apply_all = add_up_to(epilogue), apply_to_block(epilogue)

    @kernel
    def product(
        left: LeftTiles,
        rows: int,
        right: int,
        columns: int,
        steps: int,
        inputs: TileEpilogueInput,
        out: Written,
        workspace: int,
        later: Later,
    ) -> None:
        """left [rows, 32 · steps] times right, in squares, [32 · steps, columns] → out [rows, columns].

        `rows` is BLOCK at least; the last block begins early rather than end late. right: for each BLOCK of columns
        squares of the even ones and of the odd ones, in turn. workspace: `bytes_for`.
        """
        factor, copied = np.float32(inputs.factor), workspace + columns // BLOCK * SUMS
        last_sums, last_inputs, last_out, unfinished = workspace, inputs.place, out.place, 0
        fetched = _lines_at_once(columns)
        for i in range(0, rows, BLOCK):
            first, following = min(i, rows - BLOCK), min(i + BLOCK, rows - BLOCK)
            for s in range(0, steps, STEPS):
                here, ends = left.place + first * left.block + s * left.step, s + STEPS >= steps
                after = left.place + following * left.block if ends else here + STEPS * left.step
                ahead = _part_of(later, s) if i + BLOCK >= rows else Later(after, left.row, left.step)
                row, half, step, count = left.row, left.half, left.step, min(STEPS, steps - s)
                if steps > STEPS and left.row > BYTES:  # rows far apart have few places in the cache
                    copy_rows(here, row, count, copied)
                    here, row, half, step = copied, BYTES * count, ROWS * BYTES * count, BYTES
                for j in range(0, columns, BLOCK):
                    sums = workspace if steps <= STEPS else workspace + j // BLOCK * SUMS
                    reads = inputs.place + first * inputs.row + j // BLOCK * inputs.block
                    goes = out.place + first * out.row + j // BLOCK * out.block
                    add_up(
                        here, row, half, step, right + j * steps * BYTES + 2 * s * SQUARE, count, s == 0, sums,
                        _lines_of(ahead, j, fetched), ahead.line, ahead.step, fetched,
                        unfinished, last_sums, last_inputs, inputs.row, factor, last_out, out.row, reads, goes,
                    )  # fmt: skip
                    unfinished = 0
                    if ends:
                        last_sums, last_inputs, last_out, unfinished = sums, reads, goes, BLOCK
        apply_all(last_sums, last_inputs, inputs.row, factor, last_out, out.row)

    return product


def bytes_for(columns: int) -> int:
    """How many bytes a product of so many columns works in."""
    return columns // BLOCK * SUMS + ROWS_COPIED


_add_more = add_up_to(plain)


@kernel
def add_block(left: LeftTiles, right: int, columns: int, steps: int, fresh: bool, sums: int, later: Later) -> None:
    """Adds the product of a block of rows and `right` to sums [columns / 32, 32, 32], or writes it there if `fresh`."""
    fetched = _lines_at_once(columns)
    for s in range(0, steps, STEPS):
        here, ahead = left.place + s * left.step, _part_of(later, s)
        for j in range(0, columns, BLOCK):
            place = sums + j * BLOCK * 4
            _add_more(
                here, left.row, left.half, left.step, right + j * steps * BYTES + 2 * s * SQUARE, min(STEPS, steps - s),
                fresh and s == 0, place,
                _lines_of(ahead, j, fetched), ahead.line, ahead.step, fetched,
                0, place, place, 0, np.float32(0), place, 0, place, place,
            )  # fmt: skip
