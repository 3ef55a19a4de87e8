"""The softmax over V words by products of bfloat16 on AMX, and the dense part of a cross-entropy's gradients.

As many words as fit in a core's own cache are packed into tiles; all rows pass by them, and so do their exponentials e
right afterwards, on the way to Σ_v e W_v. They are also kept for the gradient of W, until each row's Z is known, by
which its features are divided: a block of words after the other, the rows of a block one after the other.
Shapes: N rows, D numbers in each, V words; N is an odd multiple of BLOCK, so that equal rows of two blocks don't
compete for places in a cache; D is a multiple of BLOCK.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.bounds import require
from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import F32, LANES, V16F32, Code, splat
from polyhead.kernels.microkernels.amx import ROW_BYTES, ROWS, close_tiles, open_tiles
from polyhead.kernels.microkernels.amx_gemm import (
    LeftTiles,
    OutputTiles,
    Prefetched,
    TileEpilogueInput,
    accumulate_block,
    prefetched_rows,
    product_of,
    product_workspace_bytes,
)
from polyhead.kernels.microkernels.epilogue import BLOCK, identity_row
from polyhead.kernels.microkernels.tiles import TILE_BYTES
from polyhead.kernels.numbers.bfloat16 import BFloat16s, pack_pairs, to_bfloat16, to_float32
from polyhead.kernels.numbers.exponential import LOG2_E, clamped_exp
from polyhead.kernels.packing.pack_tiles import (
    CACHED,
    columns_at_once,
    left_rows,
    no_input,
    pack_left_columns,
    pack_right_columns,
    pack_right_rows,
)

Floats = NDArray[np.float32]
Words = NDArray[np.int64]

ROW_INPUTS = 2 * LANES
"""Numbers that a row has for the epilogue: its shift is the first, and parts of its Z are the last LANES of them."""
EXTRA_ROWS = 2
"""How many rows are needed behind the last one, for what is taken off all words alike."""


class TilesWorkspace(NamedTuple):
    """The arrays that the kernel works in; nothing in them is read before it is written."""

    exponentials: BFloat16s
    """[V' / BLOCK, N, BLOCK], V' being V filled up to a multiple of BLOCK."""
    sums: Floats
    """[N / BLOCK, D / BLOCK, BLOCK, BLOCK]: of each row the even columns first."""
    features: BFloat16s
    """[N, D] features divided by Z."""
    tiles: NDArray[np.uint8]
    """`workspace_bytes` for tiles and for what products work in."""


def workspace_bytes(rows: int, width: int) -> int:
    """Bytes for tiles and for what products work in."""
    right = max(CACHED, 2 * BLOCK * max(rows, 2 * width))
    return right + product_workspace_bytes(max(width, CACHED // (2 * width))) + 2 * BLOCK * rows


def padded_rows(rows: int) -> int:
    """N, up to which so many rows are filled up."""
    return ((rows + EXTRA_ROWS + BLOCK - 1) // BLOCK | 1) * BLOCK


def _exponentials(code: Code, sums: list[Any], inputs: Any, factor: Any, out: Any) -> None:
    """e^(z - shift) of the first `factor` of a block's words, 0 for the others; added to the row's Z."""
    builder, here, behind = code.builder, code.i64(0), code.i64(4 * LANES)
    count = code.broadcast(factor)
    shift = builder.fmul(code.broadcast(code.load(F32, inputs, here)), splat(-float(LOG2_E)))
    total, found = code.load(V16F32, inputs, behind), []
    for half, z in enumerate(sums):
        known = builder.fcmp_ordered("<", ir.Constant(V16F32, [float(2 * n + half) for n in range(LANES)]), count)
        found.append(builder.select(known, clamped_exp(code, z, shift), splat(0.0)))
        total = builder.fadd(total, found[-1])
    code.store(total, inputs, behind)
    code.store(pack_pairs(code, *found), out, here)


_multiply, _multiply_to_exponentials = product_of(identity_row), product_of(_exponentials)


@kernel
def softmax_projection(
    x: BFloat16s,
    weight: BFloat16s,
    targets: Words,
    share: float,
    uniform: float,
    row_inputs: Floats,
    totals: Floats,
    mean_weight: Floats,
    d_weight: BFloat16s,
    workspace: TilesWorkspace,
) -> None:
    """x [N, D] and weight [V, D] → totals [N] Z, mean_weight [N, D] Σ_v e/Z W_v, d_weight [V, D].

    d_weight is Σ_n (e/Z - q) x_n: q is `share` at a row's target and `uniform` everywhere. targets [rows] says how many
    rows there are; behind them at least EXTRA_ROWS rows of x are 0. row_inputs [N, ROW_INPUTS] hold shifts and zeros.
    """
    (rows, width), (words, _), known = x.shape, weight.shape, targets.shape[0]
    require(rows >= known + EXTRA_ROWS and rows % BLOCK == 0 and width % BLOCK == 0 and weight.shape[1] == width)
    whole, steps, left = words // BLOCK * BLOCK, width // BLOCK, words % BLOCK
    group, sums = max(BLOCK, columns_at_once(whole, 2 * steps)), workspace.sums.ctypes.data
    last = np.zeros((BLOCK, width), np.uint16)
    last[:left] = weight[whole:]
    open_tiles(ROWS)
    for first in range(0, whole, group):
        some = weight[first : min(first + group, whole)]
        _exponentiate(
            x, some, BLOCK, row_inputs, workspace.exponentials[first // BLOCK :], first == 0, sums, workspace.tiles
        )
    if left:
        _exponentiate(
            x, last, left, row_inputs, workspace.exponentials[whole // BLOCK :], whole == 0, sums, workspace.tiles
        )
    _divide(x, known, uniform, row_inputs, totals, workspace, mean_weight)
    for n in range(known):
        e = workspace.exponentials[targets[n] // BLOCK, n]
        place = targets[n] % BLOCK
        e[place] = to_bfloat16(to_float32(e[place]) - np.float32(share) * totals[n])
    steps = rows // BLOCK
    group = columns_at_once(width, steps)
    for first in range(0, width, group):
        count = min(group, width - first)
        pack_right_columns(workspace.features, first, count, steps, workspace.tiles.ctypes.data)
        for block in range(whole // BLOCK):
            _weight_gradient(workspace.exponentials[block:], d_weight[block * BLOCK :], first, count, workspace.tiles)
        if left:
            _weight_gradient(workspace.exponentials[whole // BLOCK :], last, first, count, workspace.tiles)
    close_tiles()
    d_weight[whole:] = last[:left]


@kernel
def _exponentiate(
    x: BFloat16s,
    words: BFloat16s,
    known: int,
    row_inputs: Floats,
    exponentials: BFloat16s,
    fresh: bool,
    sums: int,
    workspace: NDArray[np.uint8],
) -> None:
    """words [W, D], in whose last block only `known` are words → exponentials [W / BLOCK, N, BLOCK]; adds to sums."""
    (rows, width), count = x.shape, words.shape[0]
    steps, deep = width // BLOCK, count // BLOCK
    right = workspace.ctypes.data
    right_of_sums = right + count * 2 * width
    work = right_of_sums + count * 2 * width
    pack_right_rows(words, 0, count, steps, right)
    pack_right_columns(words, 0, width, deep, right_of_sums)
    for n in range(0, rows, BLOCK):
        out, further = exponentials.ctypes.data + n * ROW_BYTES, min(n + BLOCK, rows - BLOCK)
        inputs = TileEpilogueInput(row_inputs.ctypes.data + n * row_inputs.strides[0], row_inputs.strides[0], 0, known)
        there = OutputTiles(out, ROW_BYTES, rows * ROW_BYTES)
        later = Prefetched(sums + n * width * 4, ROW_BYTES, BLOCK * ROW_BYTES)
        _multiply_to_exponentials(left_rows(x[n:]), BLOCK, right, count, steps, inputs, there, work, later)
        later = prefetched_rows(left_rows(x[further:]))
        left = LeftTiles(out, ROW_BYTES, ROWS * ROW_BYTES, rows * ROW_BYTES, ROW_BYTES)
        accumulate_block(left, right_of_sums, width, deep, fresh, sums + n * width * 4, later)


@kernel
def _divide(
    x: BFloat16s,
    known: int,
    uniform: float,
    row_inputs: Floats,
    totals: Floats,
    workspace: TilesWorkspace,
    mean_weight: Floats,
) -> None:
    """Divides features and mean_weight by Z; two more rows, whose e are 1, hold what is taken off all words."""
    width = x.shape[1]
    column = np.zeros(width, np.float32)
    workspace.features[known:] = 0
    for n in range(x.shape[0]):
        totals[n] = row_inputs[n, LANES:].sum()
    for n in range(known):
        row, features, mean, inverse = x[n], workspace.features[n], mean_weight[n], np.float32(1) / totals[n]
        for d in range(width):
            features[d] = to_bfloat16(to_float32(row[d]) * inverse)
            column[d] += to_float32(row[d])
        for block in range(width // BLOCK):
            sums, out = workspace.sums[n // BLOCK, block, n % BLOCK], mean[block * BLOCK : (block + 1) * BLOCK]
            for d in range(LANES):
                out[2 * d], out[2 * d + 1] = sums[d] * inverse, sums[LANES + d] * inverse
    for d in range(width):
        taken = -np.float32(uniform) * column[d]
        workspace.features[known, d] = to_bfloat16(taken)
        workspace.features[known + 1, d] = to_bfloat16(taken - to_float32(workspace.features[known, d]))


@kernel
def _weight_gradient(
    exponentials: BFloat16s, out: BFloat16s, first: int, count: int, workspace: NDArray[np.uint8]
) -> None:
    """exponentials [.., N, BLOCK], the first of them a block of words', times `count` features → out [BLOCK, D]."""
    rows, right = exponentials.shape[1], workspace.ctypes.data
    steps = rows // BLOCK
    left = right + count * 2 * rows
    work = left + 2 * BLOCK * rows
    pack_left_columns(exponentials[0], steps, left, np.empty(BLOCK, np.uint16))
    left_rows = LeftTiles(left, ROW_BYTES, TILE_BYTES, 2 * TILE_BYTES, steps * ROW_BYTES)
    there = OutputTiles(out.ctypes.data + 2 * first, out.strides[0], ROW_BYTES)
    later = Prefetched(exponentials.ctypes.data + rows * ROW_BYTES, ROW_BYTES, BLOCK * ROW_BYTES)
    _multiply(left_rows, BLOCK, right, count, steps, no_input(out), there, work, later)
