"""A product of bfloat16 on AMX, a core's unit for matrices: a block of results at a time, with its epilogue."""

from typing import Any, NamedTuple

import numpy as np

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import ROW_BYTES, ROWS
from polyhead.kernels.microkernels.amx_block import ACCUMULATOR_BYTES, COPIED_BYTES, STEPS, block_microkernel, copy_rows
from polyhead.kernels.microkernels.epilogue import BLOCK, RowEpilogue, apply_to_block, identity_row
from polyhead.kernels.microkernels.tiles import TILE_BYTES


class LeftTiles(NamedTuple):
    """Where the tiles of a product's left operand lie."""

    address: int
    """The address of the first tile."""
    stride: int
    """Bytes between two rows of a tile."""
    half_stride: int
    """Bytes between the two tiles of a block, one below the other."""
    step_stride: int
    """Bytes between two tiles beside each other."""
    block_stride: int
    """Bytes between the beginnings of two blocks, for each row between them."""


class TileEpilogueInput(NamedTuple):
    """What an epilogue reads beside the accumulators."""

    address: int
    """The address of a matrix, or of a bias."""
    stride: int
    """Bytes between two rows; 0 for a bias, which is every row's."""
    block_stride: int
    """Bytes between two blocks of columns."""
    factor: float | np.float32
    """What the gate multiplies by."""


class OutputTiles(NamedTuple):
    """Where the result of a product goes."""

    address: int
    """The address of its first number."""
    stride: int
    """Bytes between two rows."""
    block_stride: int
    """Bytes between two blocks of columns."""


class Prefetched(NamedTuple):
    """What is needed after a product and prefetched while it is made: BLOCK lines of memory for each of its steps."""

    address: int
    """The address of the first line."""
    line_stride: int
    """Bytes between two lines of a step."""
    step_stride: int
    """Bytes between two steps."""


@kernel
def prefetched_rows(left: LeftTiles) -> Prefetched:
    """The rows of a left operand, as what is needed after a product and is prefetched while it is made."""
    return Prefetched(left.address, left.stride, left.step_stride)


@kernel
def _from_step(later: Prefetched, step: int) -> Prefetched:
    """The part of what is prefetched that belongs to steps from a certain one on."""
    return Prefetched(later.address + step * later.step_stride, later.line_stride, later.step_stride)


@kernel
def _lines_at_once(columns: int) -> int:
    """How many of a step's BLOCK lines are prefetched at each block of columns, so that none is left after the last."""
    return (BLOCK * BLOCK + columns - 1) // columns


@kernel
def _lines_of(later: Prefetched, column: int, count: int) -> int:
    """The address of the first line that is prefetched at a column."""
    return later.address + min(column // BLOCK * count, BLOCK - 1) * later.line_stride


def product_of(epilogue: RowEpilogue) -> Any:
    """The kernel of a product with this epilogue."""
    add_up, apply_all = block_microkernel(epilogue), apply_to_block(epilogue)

    @kernel
    def product(
        left: LeftTiles,
        rows: int,
        right: int,
        columns: int,
        steps: int,
        inputs: TileEpilogueInput,
        out: OutputTiles,
        workspace: int,
        later: Prefetched,
    ) -> None:
        """left [rows, 32 · steps] times right, in tiles, [32 · steps, columns] → out [rows, columns].

        `rows` is BLOCK at least; the last block begins early rather than end late. right: for each BLOCK of columns
        a tile of the even ones and a tile of the odd ones, in turn. workspace: `product_workspace_bytes`.
        """
        factor, copied = np.float32(inputs.factor), workspace + columns // BLOCK * ACCUMULATOR_BYTES
        last_sums, last_input, last_out, unfinished = workspace, inputs.address, out.address, 0
        lines = _lines_at_once(columns)
        for i in range(0, rows, BLOCK):
            first, following = min(i, rows - BLOCK), min(i + BLOCK, rows - BLOCK)
            for s in range(0, steps, STEPS):
                here, ends = left.address + first * left.block_stride + s * left.step_stride, s + STEPS >= steps
                after = left.address + following * left.block_stride if ends else here + STEPS * left.step_stride
                rows_behind = Prefetched(after, left.stride, left.step_stride)
                prefetched = _from_step(later, s) if i + BLOCK >= rows else rows_behind
                stride, half, step, count = left.stride, left.half_stride, left.step_stride, min(STEPS, steps - s)
                if steps > STEPS and left.stride > ROW_BYTES:  # rows far apart have few places in the cache
                    copy_rows(here, stride, count, copied)
                    here, stride, half, step = copied, ROW_BYTES * count, ROWS * ROW_BYTES * count, ROW_BYTES
                for j in range(0, columns, BLOCK):
                    sums = workspace if steps <= STEPS else workspace + j // BLOCK * ACCUMULATOR_BYTES
                    read = inputs.address + first * inputs.stride + j // BLOCK * inputs.block_stride
                    written = out.address + first * out.stride + j // BLOCK * out.block_stride
                    add_up(
                        here, stride, half, step, right + (j * steps + 2 * s * ROWS) * ROW_BYTES, count, s == 0, sums,
                        _lines_of(prefetched, j, lines), prefetched.line_stride, prefetched.step_stride, lines,
                        unfinished, last_sums, last_input, inputs.stride, factor, last_out, out.stride, read, written,
                    )  # fmt: skip
                    unfinished = 0
                    if ends:
                        last_sums, last_input, last_out, unfinished = sums, read, written, BLOCK
        apply_all(last_sums, last_input, inputs.stride, factor, last_out, out.stride)

    return product


def product_workspace_bytes(columns: int) -> int:
    """How many bytes a product of so many columns works in."""
    return columns // BLOCK * ACCUMULATOR_BYTES + COPIED_BYTES


_accumulate = block_microkernel(identity_row)


@kernel
def accumulate_block(
    left: LeftTiles, right: int, columns: int, steps: int, fresh: bool, sums: int, later: Prefetched
) -> None:
    """Adds the product of a block of rows and `right` to sums [columns / 32, 32, 32], or writes it there if `fresh`."""
    lines = _lines_at_once(columns)
    for s in range(0, steps, STEPS):
        here, prefetched = left.address + s * left.step_stride, _from_step(later, s)
        for j in range(0, columns, BLOCK):
            address = sums + j * BLOCK * 4
            _accumulate(
                here, left.stride, left.half_stride, left.step_stride,
                right + j * steps * ROW_BYTES + 2 * s * TILE_BYTES, min(STEPS, steps - s), fresh and s == 0, address,
                _lines_of(prefetched, j, lines), prefetched.line_stride, prefetched.step_stride, lines,
                0, address, address, 0, np.float32(0), address, 0, address, address,
            )  # fmt: skip
