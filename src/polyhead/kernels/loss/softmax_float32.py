"""What a softmax over V words expects, of float32: the dense part of a cross-entropy's gradients.

With z = x Wᵀ and e = exp(z - shift), a row's Z = Σ_v e. The exponentials of a few hundred rows are kept, a panel of
words after the other, and what is divided by Z in the end is not they, N × V numbers, but N × D.
Shapes: N rows, D numbers in each, a multiple of WIDTH; V words in P panels of WIDTH; C rows at a time.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.loss.exp_logits_simd import exp_logits
from polyhead.kernels.microkernels.epilogue import as_they_are
from polyhead.kernels.microkernels.simd import LINE, NUMBER, WIDTH, LeftOperand, filled_up, product_of, unseen
from polyhead.kernels.packing.pack_float32 import add_rows, copy_columns, take_columns, transpose, transpose_rows

Floats = NDArray[np.float32]
Words = NDArray[np.int64]

CHUNK = 25 * WIDTH
"""Rows whose exponentials are kept, 16 MB of them for 10,000 words, until their Z is known.

A multiple of WIDTH, but an odd one: else the same row of all panels would lie in the same few places of the caches.
"""
GROUP = 16
"""Panels of words whose exponentials, for a chunk's rows, stay in a core's own cache until they are multiplied."""

_added = product_of(None)
_turned, _turned_and_added = product_of(as_they_are, turned=True), product_of(None, turned=True)


class Float32Workspace(NamedTuple):
    """What these work in."""

    panels: Floats
    """[P, D, WIDTH]: W's rows as columns."""
    across: Floats
    """[D / WIDTH, P · WIDTH, WIDTH]: W's columns."""
    kept: Floats
    """[P, C, WIDTH]: exponentials."""
    turned: Floats
    """[D · C]: x / Z."""
    found: Floats
    """[P, D, WIDTH]: Σ_n e/Z x_n, turned."""


def shapes(words: int, width: int) -> dict[str, tuple[int, ...]]:
    """Those of the room."""
    panels = -(-words // WIDTH)
    return {
        "panels": (panels, width, WIDTH),
        "across": (width // WIDTH, panels * WIDTH, WIDTH),
        "kept": (panels, CHUNK, WIDTH),
        "turned": (width * CHUNK,),
        "found": (panels, width, WIDTH),
    }


@kernel
def _pack(weight: Floats, room: Float32Workspace) -> None:
    transpose_rows(weight, room.panels.ctypes.data)
    copy_columns(weight, room.across)


@kernel
def _read(x: Floats, words: int, shifts: Floats, lanes: Floats, mean_weight: Floats, room: Float32Workspace) -> None:
    """A chunk's exponentials → room, their sums → lanes [C, WIDTH], mean_weight [C, D] Σ_v e W_v."""
    (rows, width), panels, here = x.shape, room.panels.shape[0], LeftOperand(x.ctypes.data, x.strides[0], LINE)
    mean_weight[:] = 0
    nothing, mean, mean_row = unseen(mean_weight.ctypes.data), mean_weight, mean_weight.strides[0]
    for first in range(0, panels, GROUP):
        last = min(first + GROUP, panels)
        for p in range(first, last):
            panel, to = room.panels[p].ctypes.data, room.kept[p].ctypes.data
            known = min(WIDTH, words - p * WIDTH)
            shift, totals = shifts.ctypes.data, lanes.ctypes.data
            exp_logits(here, rows, panel, width, known, shift, totals, to)
        left = LeftOperand(room.kept[first].ctypes.data, LINE, room.kept.strides[0])
        for d in range(room.across.shape[0]):
            panel = room.across[d, first * WIDTH :].ctypes.data
            _added(left, rows, panel, (last - first) * WIDTH, nothing, mean.ctypes.data + LINE * d, mean_row)


@kernel
def _divide(x: Floats, lanes: Floats, totals: Floats, mean_weight: Floats, scaled: Floats) -> None:
    """lanes [C, WIDTH] → totals [C] Z, mean_weight [C, D] /= Z, scaled [C, D] = x / Z."""
    for r in range(x.shape[0]):
        total = np.float32(0)
        for lane in range(WIDTH):
            total += lanes[r, lane]
        inverse, mean, given, out = np.float32(1) / total, mean_weight[r], x[r], scaled[r]
        totals[r] = total
        for d in range(x.shape[1]):
            mean[d] *= inverse
            out[d] = given[d] * inverse


@kernel
def unpack(found: Floats, less: Floats, out: Floats) -> None:
    """found [P, D, WIDTH] → out [V, D] = found - less [D]."""
    (words, width), square = out.shape, np.empty((WIDTH, WIDTH), np.float32)
    for p in range(found.shape[0]):
        first = p * WIDTH
        count = min(WIDTH, words - first)
        for d in range(0, width, WIDTH):
            transpose(found[p, d].ctypes.data, LINE, WIDTH, square.ctypes.data, LINE)
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
    room: Float32Workspace,
) -> None:
    """x [N, D], weight [V, D], shifts [N] → totals [N] Z, mean_weight [N, D] Σ_v e/Z W_v, d_weight [V, D] Σ_n q_n x_n.

    q = e/Z - uniform, less `share` at the row's target.
    """
    (size, width), panels = x.shape, room.panels.shape[0]
    scaled, sums = np.empty((CHUNK, width), np.float32), np.zeros(width, np.float32)
    _pack(weight, room)
    if size == 0:
        room.found[:] = 0
    for first in range(0, size, CHUNK):
        rows = min(CHUNK, size - first)
        end, steps = first + rows, filled_up(rows)
        here, mean, lanes = x[first:end], mean_weight[first:end], np.zeros((rows, WIDTH), np.float32)
        _read(here, weight.shape[0], shifts[first:end], lanes, mean, room)
        _divide(here, lanes, totals[first:end], mean, scaled)
        for n in range(rows):
            panel, place = divmod(targets[first + n], WIDTH)
            room.kept[panel, n, place] -= np.float32(share) * totals[first + n]
        left = room.turned[: width * steps]
        take_columns(scaled[:rows], left)
        given, nothing = LeftOperand(left.ctypes.data, NUMBER * steps, 0), unseen(left.ctypes.data)
        room.kept[:, rows:steps] = 0
        for p in range(panels):
            panel, to = room.kept[p].ctypes.data, room.found[p].ctypes.data
            if first == 0:
                _turned(given, width, panel, steps, nothing, to, LINE)
            else:
                _turned_and_added(given, width, panel, steps, nothing, to, LINE)
    add_rows(x, sums)
    unpack(room.found, np.float32(uniform) * sums, d_weight)
