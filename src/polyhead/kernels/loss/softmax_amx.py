"""The softmax over V words by products of bfloat16 on AMX, and the dense part of a cross-entropy's gradients.

As many words as fit in a core's own cache are put into squares; all rows pass by them, and so do their exponentials e
right afterwards, on the way to Σ_v e W_v. What is left of them is kept for the gradient of W, until each row's Z is
known by which its features are divided: a block of words at a time, its rows one after the other.
Shapes: N rows, D numbers in each, V words; N is an odd multiple of BLOCK, so that equal rows of two blocks don't
compete for places in a cache; D is a multiple of BLOCK.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES, REAL, REALS, Code, every
from polyhead.kernels.microkernels.amx import BYTES, ROWS, close_tiles, open_tiles
from polyhead.kernels.microkernels.amx_gemm import (
    Later,
    LeftTiles,
    TileEpilogueInput,
    Written,
    add_block,
    bytes_for,
    product_of,
)
from polyhead.kernels.microkernels.epilogue import BLOCK, plain
from polyhead.kernels.microkernels.tiles import SQUARE
from polyhead.kernels.numbers.bfloat16 import Halves, pairs_of, rounded, widened
from polyhead.kernels.numbers.exponential import LOG2_E, cut_exponentials
from polyhead.kernels.packing.pack_tiles import (
    CACHED,
    columns_at_once,
    mix_columns,
    no_input,
    rows_of,
    transpose_columns,
    transpose_rows,
)

Floats = NDArray[np.float32]
Words = NDArray[np.int64]

ROW_INPUTS = 2 * LANES
"""Numbers that a row has for the epilogue: its shift is the first, and parts of its Z are the last LANES of them."""
MORE = 2
"""Rows behind the last one that are needed for what is taken off all of them."""


class TilesWorkspace(NamedTuple):
    """The arrays that the kernel works in; nothing in them is read before it is written."""

    exponentials: Halves
    """[V' / BLOCK, N, BLOCK], V' being V filled up to a multiple of BLOCK."""
    sums: Floats
    """[N / BLOCK, D / BLOCK, BLOCK, BLOCK]: of each row the even columns first."""
    features: Halves
    """[N, D] features divided by Z."""
    squares: NDArray[np.uint8]
    """`workspace_bytes` for squares and for what products work in."""


def workspace_bytes(rows: int, width: int) -> int:
    """Bytes for squares and for what products work in."""
    right = max(CACHED, 2 * BLOCK * max(rows, 2 * width))
    return right + bytes_for(max(width, CACHED // (2 * width))) + 2 * BLOCK * rows


def whole_rows(rows: int) -> int:
    """N, up to which so many rows are filled up."""
    return ((rows + MORE + BLOCK - 1) // BLOCK | 1) * BLOCK


def _exponentials(code: Code, sums: list[Any], inputs: Any, factor: Any, out: Any) -> None:
    """e^(z - shift) of the first `factor` of a block's words, 0 for the others; added to the row's Z."""
    builder, here, behind = code.builder, code.long(0), code.long(4 * LANES)
    count = code.everywhere(factor)
    shift = builder.fmul(code.everywhere(code.load(REAL, inputs, here)), every(-float(LOG2_E)))
    total, found = code.load(REALS, inputs, behind), []
    for half, z in enumerate(sums):
        known = builder.fcmp_ordered("<", ir.Constant(REALS, [float(2 * n + half) for n in range(LANES)]), count)
        found.append(builder.select(known, cut_exponentials(code, z, shift), every(0.0)))
        total = builder.fadd(total, found[-1])
    code.store(total, inputs, behind)
    code.store(pairs_of(code, *found), out, here)


_multiply, _multiply_to_exponentials = product_of(plain), product_of(_exponentials)


@kernel
def softmax_projection(
    x: Halves,
    weight: Halves,
    targets: Words,
    share: float,
    uniform: float,
    row_inputs: Floats,
    totals: Floats,
    mean_weight: Floats,
    d_weight: Halves,
    workspace: TilesWorkspace,
) -> None:
    """x [N, D] and weight [V, D] → totals [N] Z, mean_weight [N, D] Σ_v e/Z W_v, d_weight [V, D].

    d_weight is Σ_n (e/Z - q) x_n: q is `share` at a row's target and `uniform` everywhere. targets [rows] says how many
    rows there are; behind them x is 0, MORE times at least. row_inputs [N, ROW_INPUTS] come with shifts and zeros.
    """
    (rows, width), (words, _), known = x.shape, weight.shape, targets.shape[0]
    whole, steps, left = words // BLOCK * BLOCK, width // BLOCK, words % BLOCK
    group, sums = max(BLOCK, columns_at_once(whole, 2 * steps)), workspace.sums.ctypes.data
    last = np.zeros((BLOCK, width), np.uint16)
    last[:left] = weight[whole:]
    open_tiles(ROWS)
    for first in range(0, whole, group):
        some = weight[first : min(first + group, whole)]
        _look_at(
            x, some, BLOCK, row_inputs, workspace.exponentials[first // BLOCK :], first == 0, sums, workspace.squares
        )
    if left:
        _look_at(
            x, last, left, row_inputs, workspace.exponentials[whole // BLOCK :], whole == 0, sums, workspace.squares
        )
    _divide(x, known, uniform, row_inputs, totals, workspace, mean_weight)
    for n in range(known):
        e = workspace.exponentials[targets[n] // BLOCK, n]
        place = targets[n] % BLOCK
        e[place] = rounded(widened(e[place]) - np.float32(share) * totals[n])
    steps = rows // BLOCK
    group = columns_at_once(width, steps)
    for first in range(0, width, group):
        count = min(group, width - first)
        mix_columns(workspace.features, first, count, steps, workspace.squares.ctypes.data)
        for block in range(whole // BLOCK):
            _add_up(workspace.exponentials[block:], d_weight[block * BLOCK :], first, count, workspace.squares)
        if left:
            _add_up(workspace.exponentials[whole // BLOCK :], last, first, count, workspace.squares)
    close_tiles()
    d_weight[whole:] = last[:left]


@kernel
def _look_at(
    x: Halves,
    words: Halves,
    known: int,
    row_inputs: Floats,
    exponentials: Halves,
    fresh: bool,
    sums: int,
    workspace: NDArray[np.uint8],
) -> None:
    """Some words [W, D], of whose last block `known` are known: exponentials [W / BLOCK, N, BLOCK]; adds to sums."""
    (rows, width), count = x.shape, words.shape[0]
    steps, deep = width // BLOCK, count // BLOCK
    right = workspace.ctypes.data
    right_of_sums = right + count * 2 * width
    work = right_of_sums + count * 2 * width
    transpose_rows(words, 0, count, steps, right)
    mix_columns(words, 0, width, deep, right_of_sums)
    left_rows = rows_of(x)
    for n in range(0, rows, BLOCK):
        out, further = exponentials.ctypes.data + n * BYTES, min(n + BLOCK, rows - BLOCK)
        here = LeftTiles(
            left_rows.place + n * left_rows.row, left_rows.row, left_rows.half, left_rows.step, left_rows.block
        )
        inputs = TileEpilogueInput(row_inputs.ctypes.data + n * row_inputs.strides[0], row_inputs.strides[0], 0, known)
        there, later = Written(out, BYTES, rows * BYTES), Later(sums + n * width * 4, BYTES, BLOCK * BYTES)
        _multiply_to_exponentials(here, BLOCK, right, count, steps, inputs, there, work, later)
        later = Later(left_rows.place + further * left_rows.row, left_rows.row, left_rows.step)
        left = LeftTiles(out, BYTES, ROWS * BYTES, rows * BYTES, BYTES)
        add_block(left, right_of_sums, width, deep, fresh, sums + n * width * 4, later)


@kernel
def _divide(
    x: Halves,
    known: int,
    uniform: float,
    row_inputs: Floats,
    totals: Floats,
    workspace: TilesWorkspace,
    mean_weight: Floats,
) -> None:
    """Whatever is to be divided by Z; what is taken off all words stands in two more rows, whose e are 1."""
    width = x.shape[1]
    column = np.zeros(width, np.float32)
    workspace.features[known:] = 0
    for n in range(x.shape[0]):
        totals[n] = row_inputs[n, LANES:].sum()
    for n in range(known):
        row, features, mean, inverse = x[n], workspace.features[n], mean_weight[n], np.float32(1) / totals[n]
        for d in range(width):
            features[d] = rounded(widened(row[d]) * inverse)
            column[d] += widened(row[d])
        for block in range(width // BLOCK):
            sums, out = workspace.sums[n // BLOCK, block, n % BLOCK], mean[block * BLOCK : (block + 1) * BLOCK]
            for d in range(LANES):
                out[2 * d], out[2 * d + 1] = sums[d] * inverse, sums[LANES + d] * inverse
    for d in range(width):
        taken = -np.float32(uniform) * column[d]
        workspace.features[known, d] = rounded(taken)
        workspace.features[known + 1, d] = rounded(taken - widened(workspace.features[known, d]))


@kernel
def _add_up(exponentials: Halves, out: Halves, first: int, count: int, workspace: NDArray[np.uint8]) -> None:
    """exponentials [.., N, BLOCK], the first of them a block of words', times `count` features → out [BLOCK, D]."""
    rows, right = exponentials.shape[1], workspace.ctypes.data
    steps = rows // BLOCK
    left = right + count * 2 * rows
    work = left + 2 * BLOCK * rows
    transpose_columns(exponentials[0], steps, left, np.empty(BLOCK, np.uint16))
    left_rows = LeftTiles(left, BYTES, SQUARE, 2 * SQUARE, steps * BYTES)
    there = Written(out.ctypes.data + 2 * first, out.strides[0], BYTES)
    later = Later(exponentials.ctypes.data + rows * BYTES, BYTES, BLOCK * BYTES)
    _multiply(left_rows, BLOCK, right, count, steps, no_input(out), there, work, later)
