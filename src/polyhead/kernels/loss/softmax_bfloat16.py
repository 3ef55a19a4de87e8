"""The softmax over V words by products of bfloat16, and the dense part of a cross-entropy's gradients.

With z = x Wᵀ and e = exp(z - shift), a row's Z = Σ_v e. The exponentials of a few hundred rows are kept, and what is
divided by Z in the end is not they, N × V numbers, but N × D. A product takes two numbers of bfloat16 at a time, which
therefore lie beside each other.
Shapes: N rows, D numbers in each, V words, P panels of words; N is a multiple of `whole_rows`, D and P · PANEL of
PANEL.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.unowned import in_use_until_here
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES, Code, every
from polyhead.kernels.loss.exp_logits import Exponentials, SumsOf, exp_logits
from polyhead.kernels.microkernels.registers import ACROSS, DOWN, PANEL, accumulate, add_pairs, pair_sums
from polyhead.kernels.microkernels.simd import LeftOperand
from polyhead.kernels.numbers.bfloat16 import Halves, beside, parts, rounded, widened

Floats = NDArray[np.float32]
Pairs = NDArray[np.uint32]
Words = NDArray[np.int64]

CHUNK = 480
"""Rows whose exponentials are kept, 10 MB of them for 10,000 words, until their Z is known."""
GROUP = 8
"""Panels of words whose exponentials, for a chunk's rows, and whose weights stay in a core's own cache."""
_sums = pair_sums(DOWN)


class Asked(NamedTuple):
    """What the expectations are of, beside features and weights."""

    words: int
    """V, how many words there are."""
    targets: Words
    """[≤ N] the target word of each row; rows behind the last target have none."""
    share: float
    """How much is taken off e/Z at a row's target."""
    shifts: Floats
    """[N] what is taken off a row's logits before the exponential is taken."""


class Expected(NamedTuple):
    """The arrays that are filled; the last two must be zeros before."""

    totals: Floats
    """[N] Z of each row."""
    mean_weight: Floats
    """[N, D] Σ_v e/Z W_v."""
    mean_features: Floats
    """[P, D', PANEL] Σ_n e/Z x_n; D' is a multiple of DOWN."""


class BFloat16Workspace(NamedTuple):
    """The arrays that the kernel works in; nothing in them is read before it is written."""

    pairs: Pairs
    """[P, CHUNK/2, PANEL] exponentials, those of two rows beside each other."""
    rows: Halves
    """[CHUNK, GROUP · PANEL] the same exponentials, those of a row beside each other."""
    transposed: Halves
    """[D', CHUNK] features divided by Z, transposed."""


def shapes(panels: int, depth: int) -> tuple[tuple[int, ...], ...]:
    """The shapes of the workspace's arrays, for P and D'."""
    return (panels, CHUNK // 2, PANEL), (CHUNK, GROUP * PANEL), (depth, CHUNK)


@kernel
def _add_product(x: Halves, weight: Pairs, y: Floats, at: int) -> None:
    """y[:, at : at + PANEL] += x [R, K] · weight [K/2, PANEL]; R is a multiple of DOWN."""
    panel, steps, stride = np.uintp(weight.ctypes.data), weight.shape[0], x.strides[0]
    start, sums = np.zeros(PANEL, np.float32), np.empty((DOWN, PANEL), np.float32)
    zero, out = np.uintp(start.ctypes.data), np.uintp(sums.ctypes.data)
    for first in range(0, x.shape[0], DOWN):
        _sums(np.uintp(x[first:].ctypes.data), stride, panel, steps, zero, out)
        for r in range(DOWN):
            total, given = sums[r], y[first + r, at : at + PANEL]
            for n in range(PANEL):
                given[n] += total[n]
    in_use_until_here(start)
    in_use_until_here(sums)


@kernel
def _divide(x: Halves, sums: Floats, totals: Floats, mean_weight: Floats, transposed: Halves) -> None:
    """sums [R, LANES] → totals [R] Z, mean_weight [R, D] /= Z, transposed [D, R] = x/Z."""
    for r in range(x.shape[0]):
        totals[r] = sums[r].sum()
        inverse, mean, row = np.float32(1) / totals[r], mean_weight[r], x[r]
        for d in range(x.shape[1]):
            mean[d] *= inverse
            transposed[d, r] = rounded(widened(row[d]) * inverse)


@kernel
def _take_off(targets: Words, totals: Floats, share: float, pairs: Pairs) -> None:
    """e less share · Z at every row's target, so that e/Z is less by `share`; targets [≤ R], totals [R]."""
    part = np.float32(share)
    for r in range(targets.shape[0]):
        panel, place = divmod(targets[r], PANEL)
        lower, upper = parts(pairs[panel, r // 2, place])
        if r % 2:
            upper = rounded(widened(upper) - part * totals[r])
        else:
            lower = rounded(widened(lower) - part * totals[r])
        pairs[panel, r // 2, place] = beside(lower, upper)


def expectations_of(sums_of: SumsOf, panel_of: Any) -> Any:
    """The kernel of the whole, from what makes the sums of logits and the kernel that finds a panel of words."""
    exp_of_rows = exp_logits(sums_of)

    @kernel
    def exponentials(
        left: Any,
        right: Any,
        first: int,
        end: int,
        words: int,
        shifts: Floats,
        rows: Halves,
        pairs: Pairs,
        sums: Floats,
    ) -> None:
        """Rows `first` to `end` of left [N, D] times a panel of `words` words → e, added to sums [N, LANES].

        It goes into rows [end - first, PANEL ..] and pairs [(end - first) / 2, PANEL].
        """
        for r in range(first, end, DOWN):
            shift, total = shifts[r:].ctypes.data, sums[r:].ctypes.data
            row, pair = rows[r - first :].ctypes.data, pairs[(r - first) // 2 :].ctypes.data
            exp_of_rows(left, right, r, Exponentials(shift, words, row, rows.strides[0], pair, total))

    @kernel
    def expect(
        left: Any, right: Any, x: Halves, across: Pairs, asked: Asked, found: Expected, workspace: BFloat16Workspace
    ) -> None:
        words, targets, share, shifts = asked
        totals, mean_weight, mean_features = found
        size, sums, count = x.shape[0], np.zeros((x.shape[0], LANES), np.float32), mean_features.shape[0]
        workspace.transposed[x.shape[1] :] = 0
        for first in range(0, size, CHUNK):
            end = min(first + CHUNK, size)
            here, mean, rows = x[first:end], mean_weight[first:end], workspace.rows[: end - first]
            for group in range(0, count, GROUP):
                last = min(group + GROUP, count)
                for p in range(group, last):
                    at, known, panel = (p - group) * PANEL, min(PANEL, words - p * PANEL), panel_of(right, p * PANEL)
                    exponentials(left, panel, first, end, known, shifts, rows[:, at:], workspace.pairs[p], sums)
                for d in range(across.shape[0]):
                    weight = across[d, group * PANEL // 2 : last * PANEL // 2]
                    _add_product(rows, weight, mean, d * PANEL)
            _divide(here, sums[first:end], totals[first:end], mean, workspace.transposed)
            _take_off(targets[first:end], totals[first:end], share, workspace.pairs)
            for p in range(count):
                _add_product(workspace.transposed, workspace.pairs[p, : (end - first) // 2], mean_features[p], 0)

    return expect


class _Panel(NamedTuple):
    """A panel of pairs: its address, and how many pairs each of its columns has."""

    place: int
    steps: int


def _sums_of_pairs(code: Code, left: Any, right: Any, first: Any) -> list[Any]:
    """The sums of logits of DOWN rows, two numbers of bfloat16 at a time."""
    (place, row, _), (panel, steps) = code.parts(left), code.parts(right)
    return accumulate(code, code.apart(place, row, DOWN, first), panel, steps, [every(0.0)] * DOWN * ACROSS, add_pairs)


@kernel
def _panel_of(panels: Pairs, column: int) -> _Panel:
    return _Panel(panels[column // PANEL].ctypes.data, panels.shape[1])


_expectations = expectations_of(_sums_of_pairs, _panel_of)


@kernel
def softmax_projection(
    x: Halves, panels: Pairs, across: Pairs, asked: Asked, found: Expected, workspace: BFloat16Workspace
) -> None:
    """x [N, D], and W twice.

    panels [P, D/2, PANEL]: W's pairs along D; across [D/PANEL, P · PANEL/2, PANEL]: along V, zeros after its last word.
    """
    _expectations(LeftOperand(x.ctypes.data, x.strides[0], 0), panels, x, across, asked, found, workspace)
