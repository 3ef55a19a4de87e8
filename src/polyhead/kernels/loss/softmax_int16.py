"""What a softmax over V words expects, as `softmax_float32` has it, by products of whole numbers.

Exponentials are rounded a group of words at a time, each row of it by a scale of its own: of a row that is sure of a
word, those of all other groups keep their digits. What words' gradients are made of is rounded word by word.
Shapes: N rows, D numbers in each, a multiple of PAIRED; V words in P panels of WIDTH, P' an even number of them, and G
groups; C rows at a time.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.unowned import in_use_until_here
from polyhead.kernels.kernel import kernel
from polyhead.kernels.loss.exp_logits_simd import likelihoods_of_pairs
from polyhead.kernels.loss.softmax_float32 import GROUP, unpack
from polyhead.kernels.microkernels.epilogue import as_they_are
from polyhead.kernels.microkernels.simd import LINE, NUMBER, WIDTH, LeftOperand, Scales, product_of_pairs, unseen
from polyhead.kernels.packing.pack_float32 import add_rows, copy_columns, take_columns
from polyhead.kernels.packing.pack_int16 import PAIRED, pair_and_take_rows, pair_and_turn_rows, pair_down, pairs_of

Floats = NDArray[np.float32]
Words = NDArray[np.int64]

CHUNK = 13 * PAIRED
"""Rows whose exponentials are kept until their Z is known."""
_KEPT = CHUNK + 1
"""Rows that there is room for: an odd number, else a row of all panels would lie in few places of the caches."""
LARGEST = 40.0
"""Of larger logarithms of Z exponentials' squares may overflow."""
_WORDS = GROUP * WIDTH
"""Of a group."""

_added, _multiplied = product_of_pairs(None), product_of_pairs(as_they_are)


class Int16Workspace(NamedTuple):
    """What these work in; pairs are seen as numbers of float32."""

    panels: Floats
    """[P, D / 2, WIDTH]: pairs of W's rows as columns,"""
    word_scales: Floats
    """and their scales [P · WIDTH]."""
    across: Floats
    """[G, D / WIDTH, words of a group / 2, WIDTH]: pairs of W's columns,"""
    across_scales: Floats
    """and their scales [G, D]."""
    kept: Floats
    """[P', C + 1, WIDTH]: exponentials."""
    found: Floats
    """[P, D, WIDTH]: Σ_n e/Z x_n, turned."""
    pairs: Floats
    """As many numbers as a chunk's or a group's pairs are, or a panel's."""
    left: Floats
    """The same, turned,"""
    left_scales: Floats
    """and the scales [C or D]."""


WORKSPACE = Int16Workspace


def shapes(words: int, width: int) -> dict[str, tuple[int, ...]]:
    """Those of the room."""
    panels, groups = -(-words // WIDTH), -(-words // _WORDS)
    most = -(-max(CHUNK, _WORDS) // PAIRED) * WIDTH * max(_WORDS, width)
    return {
        "panels": (panels, width // 2, WIDTH),
        "word_scales": (panels * WIDTH,),
        "across": (groups, width // WIDTH, _WORDS // 2, WIDTH),
        "across_scales": (groups, width),
        "kept": (panels + panels % 2, _KEPT, WIDTH),
        "found": (panels, width, WIDTH),
        "pairs": (most,),
        "left": (most,),
        "left_scales": (max(CHUNK, width),),
    }


@kernel
def _pack(weight: Floats, room: Int16Workspace) -> None:
    width, scales = weight.shape[1], room.word_scales
    unused = np.zeros(width, np.float32)
    scales[:] = 0
    pair_and_turn_rows(weight, room.panels.ctypes.data, scales.ctypes.data, room.pairs.ctypes.data)
    for group in range(room.across.shape[0]):
        some = weight[group * _WORDS : (group + 1) * _WORDS]
        steps = pairs_of(some.shape[0])
        pairs = room.pairs[: steps * width].reshape((steps, width))
        pair_down(some, pairs, room.across_scales[group], unused)
        copy_columns(pairs, room.across[group])


@kernel
def _read(x: Floats, words: int, shifts: Floats, lanes: Floats, mean_weight: Floats, room: Int16Workspace) -> None:
    """A chunk's exponentials → room, their sums → lanes [C, WIDTH], mean_weight [C, D] Σ_v e W_v."""
    (rows, width), panels, kept = x.shape, room.panels.shape[0], room.kept
    mean_weight[:] = 0
    to, to_row, by = mean_weight.ctypes.data, mean_weight.strides[0], room.left_scales.ctypes.data
    of_x, x_scales = np.empty(rows * (width // 2), np.float32), np.empty(rows, np.float32)
    given = LeftOperand(of_x.ctypes.data, NUMBER * (width // 2), 0)
    pair_and_take_rows(LeftOperand(x.ctypes.data, x.strides[0], LINE), rows, width, given.place, x_scales.ctypes.data)
    for first in range(0, panels, GROUP):
        last = min(first + GROUP, panels)
        for p in range(first, last):
            scales = Scales(x_scales.ctypes.data, room.word_scales[p * WIDTH :].ctypes.data)
            panel, known, shift, totals = room.panels[p].ctypes.data, words - p * WIDTH, shifts.ctypes.data, lanes
            out = kept[p].ctypes.data
            likelihoods_of_pairs(given, rows, panel, width // 2, scales, known, shift, totals.ctypes.data, out)
        group, steps = first // GROUP, pairs_of((last - first) * WIDTH)
        left = LeftOperand(room.left.ctypes.data, NUMBER * steps, 0)
        pair_and_take_rows(LeftOperand(kept[first].ctypes.data, LINE, kept.strides[0]), rows, 2 * steps, left.place, by)
        for d in range(room.across.shape[1]):
            panel, place = room.across[group, d].ctypes.data, to + LINE * d
            scales = Scales(by, room.across_scales[group, d * WIDTH :].ctypes.data)
            _added(left, rows, panel, steps, scales, unseen(place), place, to_row)
    in_use_until_here(of_x)
    in_use_until_here(x_scales)


@kernel
def _divide(lanes: Floats, totals: Floats, mean_weight: Floats) -> None:
    """lanes [C, WIDTH] → totals [C] Z, mean_weight [C, D] /= Z."""
    for r in range(lanes.shape[0]):
        total = np.float32(0)
        for lane in range(WIDTH):
            total += lanes[r, lane]
        totals[r], mean = total, mean_weight[r]
        inverse = np.float32(1) / total
        for d in range(mean.shape[0]):
            mean[d] *= inverse


@kernel
def _add_up(x: Floats, totals: Floats, first: bool, room: Int16Workspace) -> None:
    """A chunk's e/Z, less what targets have, times x [C, D] → room's sums."""
    (rows, width), unused, inverse = x.shape, np.zeros(max(x.shape[1], WIDTH), np.float32), np.float32(1) / totals
    steps, scales, of_words = pairs_of(rows), room.left_scales, np.empty(WIDTH, np.float32)
    of_x = room.pairs[: steps * width].reshape((steps, width))
    pair_down(x, of_x, scales[:width], unused[:width])
    take_columns(of_x, room.left[: steps * width])
    left, by = LeftOperand(room.left.ctypes.data, NUMBER * steps, 0), Scales(scales.ctypes.data, of_words.ctypes.data)
    pairs = room.pairs[: steps * WIDTH].reshape((steps, WIDTH))
    for p in range(room.panels.shape[0]):
        given, to = room.kept[p, :rows], room.found[p].ctypes.data
        for n in range(rows):
            for lane in range(WIDTH):
                given[n, lane] *= inverse[n]
        pair_down(given, pairs, of_words, unused[:WIDTH])
        if first:
            _multiplied(left, width, pairs.ctypes.data, steps, by, unseen(to), to, LINE)
        else:
            _added(left, width, pairs.ctypes.data, steps, by, unseen(to), to, LINE)
    in_use_until_here(of_words)


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
    room: Int16Workspace,
) -> None:
    """x [N, D], weight [V, D], shifts [N] → totals [N] Z, mean_weight [N, D] Σ_v e/Z W_v, d_weight [V, D] Σ_n q_n x_n.

    q = e/Z - uniform, less `share` at the row's target.
    """
    size, sums = x.shape[0], np.zeros(x.shape[1], np.float32)
    _pack(weight, room)
    room.kept[room.panels.shape[0] :] = 0
    if size == 0:
        room.found[:] = 0
    for first in range(0, size, CHUNK):
        end = min(first + CHUNK, size)
        rows = end - first
        here, mean, lanes = x[first:end], mean_weight[first:end], np.zeros((rows, WIDTH), np.float32)
        _read(here, weight.shape[0], shifts[first:end], lanes, mean, room)
        _divide(lanes, totals[first:end], mean)
        for n in range(rows):
            panel, place = divmod(targets[first + n], WIDTH)
            room.kept[panel, n, place] -= np.float32(share) * totals[first + n]
        _add_up(here, totals[first:end], first == 0, room)
    add_rows(x, sums)
    unpack(room.found, np.float32(uniform) * sums, d_weight)
