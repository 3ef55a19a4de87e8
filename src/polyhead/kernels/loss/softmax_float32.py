"""The softmax over V words in float32, and the dense part of a cross-entropy's gradients.

With z = x Wᵀ and e = exp(z - shift), a row's Z = Σ_v e. The exponentials of a few hundred rows are kept, a panel of
words after the other. They, N × V numbers, are not divided by Z; the N × D numbers of the results are.
Shapes: N rows, D numbers in each, a multiple of WIDTH; V words in P panels of WIDTH; C rows at a time.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.bounds import require
from polyhead.kernels.kernel import kernel
from polyhead.kernels.loss.exp_logits_simd import exp_logits
from polyhead.kernels.microkernels.epilogue import identity
from polyhead.kernels.microkernels.simd import FLOAT_BYTES, WIDTH, LeftOperand, no_input, product_of, round_up
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES
from polyhead.kernels.packing.pack_float32 import (
    add_rows,
    pack_left_columns,
    pack_right_columns,
    pack_right_rows,
    transpose,
)

Floats = NDArray[np.float32]
Words = NDArray[np.int64]

CHUNK = 25 * WIDTH
"""Rows whose exponentials are kept, 16 MB of them for 10,000 words, until their Z is known.

A multiple of WIDTH, but an odd one: else the same row of all panels would lie in the same few places of the caches.
"""
GROUP = 16
"""Panels of words whose exponentials, for a chunk's rows, stay in a core's own cache until they are multiplied."""

_add_product = product_of(None)
_transposed_product, _add_transposed_product = product_of(identity, transposed=True), product_of(None, transposed=True)


class Float32Workspace(NamedTuple):
    """The arrays that the kernel works in; nothing in them is read before it is written."""

    panels: Floats
    """[P, D, WIDTH]: W's rows as columns."""
    across: Floats
    """[D / WIDTH, P · WIDTH, WIDTH]: W's columns."""
    kept: Floats
    """[P, C, WIDTH]: exponentials."""
    transposed: Floats
    """[D · C]: x / Z, as a transposed left operand."""
    found: Floats
    """[P, D, WIDTH]: Σ_n e/Z x_n, transposed."""


def shapes(words: int, width: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the workspace's arrays, by name, for V words and D numbers."""
    panels = -(-words // WIDTH)
    return {
        "panels": (panels, width, WIDTH),
        "across": (width // WIDTH, panels * WIDTH, WIDTH),
        "kept": (panels, CHUNK, WIDTH),
        "transposed": (width * CHUNK,),
        "found": (panels, width, WIDTH),
    }


@kernel
def _pack(weight: Floats, workspace: Float32Workspace) -> None:
    pack_right_rows(weight, workspace.panels.ctypes.data)
    pack_right_columns(weight, workspace.across)


@kernel
def _exponentiate(
    x: Floats, words: int, shifts: Floats, lanes: Floats, mean_weight: Floats, workspace: Float32Workspace
) -> None:
    """A chunk's exponentials → the workspace, their sums → lanes [C, WIDTH], mean_weight [C, D] Σ_v e W_v."""
    (rows, width), panels, here = (
        x.shape,
        workspace.panels.shape[0],
        LeftOperand(x.ctypes.data, x.strides[0], VECTOR_BYTES),
    )
    mean_weight[:] = 0
    nothing, mean, mean_row = no_input(mean_weight.ctypes.data), mean_weight, mean_weight.strides[0]
    for first in range(0, panels, GROUP):
        last = min(first + GROUP, panels)
        for p in range(first, last):
            panel, to = workspace.panels[p].ctypes.data, workspace.kept[p].ctypes.data
            known = min(WIDTH, words - p * WIDTH)
            shift, totals = shifts.ctypes.data, lanes.ctypes.data
            exp_logits(here, rows, panel, width, known, shift, totals, to)
        left = LeftOperand(workspace.kept[first].ctypes.data, VECTOR_BYTES, workspace.kept.strides[0])
        for d in range(workspace.across.shape[0]):
            panel = workspace.across[d, first * WIDTH :].ctypes.data
            _add_product(
                left, rows, panel, (last - first) * WIDTH, nothing, mean.ctypes.data + VECTOR_BYTES * d, mean_row
            )


@kernel
def _divide(x: Floats, lanes: Floats, totals: Floats, mean_weight: Floats, scaled: Floats) -> None:
    """lanes [C, WIDTH] → totals [C] Z, mean_weight [C, D] /= Z, scaled [C, D] = x / Z."""
    for r in range(x.shape[0]):
        total = np.float32(0)
        for lane in range(WIDTH):
            total += lanes[r, lane]
        inverse, mean, row, out = np.float32(1) / total, mean_weight[r], x[r], scaled[r]
        totals[r] = total
        for d in range(x.shape[1]):
            mean[d] *= inverse
            out[d] = row[d] * inverse


@kernel
def unpack(found: Floats, less: Floats, out: Floats) -> None:
    """found [P, D, WIDTH] → out [V, D] = found - less [D]."""
    (words, width), square = out.shape, np.empty((WIDTH, WIDTH), np.float32)
    for p in range(found.shape[0]):
        first = p * WIDTH
        count = min(WIDTH, words - first)
        for d in range(0, width, WIDTH):
            transpose(found[p, d].ctypes.data, VECTOR_BYTES, WIDTH, square.ctypes.data, VECTOR_BYTES)
            for n in range(count):
                to = out[first + n, d : d + WIDTH]
                for k in range(WIDTH):
                    to[k] = square[n, k] - less[d + k]


@kernel
def softmax_projection(
    x: Floats,
    weight: Floats,
    targets: Words,
    share: float,
    uniform: float,
    shifts: Floats,
    totals: Floats,
    mean_weight: Floats,
    d_weight: Floats,
    workspace: Float32Workspace,
) -> None:
    """x [N, D], weight [V, D], shifts [N] → totals [N] Z, mean_weight [N, D] Σ_v e/Z W_v, d_weight [V, D] Σ_n q_n x_n.

    q = e/Z - uniform, less `share` at the row's target.
    """
    (size, width), panels = x.shape, workspace.panels.shape[0]
    require(width % WIDTH == 0 and weight.shape[1] == width)
    scaled, sums = np.empty((CHUNK, width), np.float32), np.zeros(width, np.float32)
    _pack(weight, workspace)
    if size == 0:
        workspace.found[:] = 0
    for first in range(0, size, CHUNK):
        rows = min(CHUNK, size - first)
        end, steps = first + rows, round_up(rows)
        here, mean, lanes = x[first:end], mean_weight[first:end], np.zeros((rows, WIDTH), np.float32)
        _exponentiate(here, weight.shape[0], shifts[first:end], lanes, mean, workspace)
        _divide(here, lanes, totals[first:end], mean, scaled)
        for n in range(rows):
            panel, place = divmod(targets[first + n], WIDTH)
            workspace.kept[panel, n, place] -= np.float32(share) * totals[first + n]
        left = workspace.transposed[: width * steps]
        pack_left_columns(scaled[:rows], left)
        features, nothing = LeftOperand(left.ctypes.data, FLOAT_BYTES * steps, 0), no_input(left.ctypes.data)
        workspace.kept[:, rows:steps] = 0
        for p in range(panels):
            panel, to = workspace.kept[p].ctypes.data, workspace.found[p].ctypes.data
            if first == 0:
                _transposed_product(features, width, panel, steps, nothing, to, VECTOR_BYTES)
            else:
                _add_transposed_product(features, width, panel, steps, nothing, to, VECTOR_BYTES)
    add_rows(x, sums)
    unpack(workspace.found, np.float32(uniform) * sums, d_weight)
