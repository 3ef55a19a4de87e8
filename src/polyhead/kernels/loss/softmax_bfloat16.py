"""The softmax over V words by products of bfloat16, and the dense part of a cross-entropy's gradients.

With z = x Wᵀ and e = exp(z - shift), a row's Z = Σ_v e. The exponentials of a few hundred rows are kept. They, N × V
numbers, are not divided by Z; the N × D numbers of the results are. A product takes two numbers of bfloat16 at a time,
which therefore lie beside each other.
Shapes: N rows, D numbers in each, V words, P panels of words; N is a multiple of MR, D and P · PANEL of PANEL.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.bounds import require
from polyhead.kernels.arrays.unowned import keep_alive
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES, Code, splat
from polyhead.kernels.loss.exp_logits import ExpLogitsOutput, SumsOf, exp_logits
from polyhead.kernels.microkernels.registers import (
    MR,
    PANEL,
    PANEL_VECTORS,
    accumulate,
    add_bfloat16_dot,
    bfloat16_microkernel,
)
from polyhead.kernels.microkernels.simd import LeftOperand
from polyhead.kernels.numbers.bfloat16 import BFloat16s, pack_pair, to_bfloat16, to_float32, unpack_pair

Floats = NDArray[np.float32]
Pairs = NDArray[np.uint32]
Words = NDArray[np.int64]

CHUNK = 480
"""Rows whose exponentials are kept, 10 MB of them for 10,000 words, until their Z is known."""
GROUP = 8
"""Panels of words whose exponentials, for a chunk's rows, and whose weights stay in a core's own cache."""
_multiply = bfloat16_microkernel(MR)


class SoftmaxInputs(NamedTuple):
    """What the kernel reads beside features and weights."""

    words: int
    """V, how many words there are."""
    targets: Words
    """[≤ N] the target word of each row; rows behind the last target have none."""
    share: float
    """How much is taken off e/Z at a row's target."""
    shifts: Floats
    """[N] what is taken off a row's logits before the exponential is taken."""


class SoftmaxOutputs(NamedTuple):
    """The arrays that are filled; the last two must be zeros before."""

    totals: Floats
    """[N] Z of each row."""
    mean_weight: Floats
    """[N, D] Σ_v e/Z W_v."""
    mean_features: Floats
    """[P, D', PANEL] Σ_n e/Z x_n; D' is a multiple of MR."""


class BFloat16Workspace(NamedTuple):
    """The arrays that the kernel works in; nothing in them is read before it is written."""

    pairs: Pairs
    """[P, CHUNK/2, PANEL] exponentials, those of two rows beside each other."""
    rows: BFloat16s
    """[CHUNK, GROUP · PANEL] the exponentials of GROUP panels, those of a row beside each other."""
    transposed: BFloat16s
    """[D', CHUNK] features divided by Z, transposed."""


def shapes(panels: int, depth: int) -> tuple[tuple[int, ...], ...]:
    """The shapes of the workspace's arrays, for P and D'."""
    return (panels, CHUNK // 2, PANEL), (CHUNK, GROUP * PANEL), (depth, CHUNK)


@kernel
def _add_product(x: BFloat16s, weight: Pairs, y: Floats, column: int) -> None:
    """y[:, column : column + PANEL] += x [R, K] · weight [K/2, PANEL]; R is a multiple of MR."""
    panel, steps, stride = np.uintp(weight.ctypes.data), weight.shape[0], x.strides[0]
    start, sums = np.zeros(PANEL, np.float32), np.empty((MR, PANEL), np.float32)
    zero, out = np.uintp(start.ctypes.data), np.uintp(sums.ctypes.data)
    for first in range(0, x.shape[0], MR):
        _multiply(np.uintp(x[first:].ctypes.data), stride, panel, steps, zero, out)
        for r in range(MR):
            total, given = sums[r], y[first + r, column : column + PANEL]
            for n in range(PANEL):
                given[n] += total[n]
    keep_alive(start)
    keep_alive(sums)


@kernel
def _divide(x: BFloat16s, sums: Floats, totals: Floats, mean_weight: Floats, transposed: BFloat16s) -> None:
    """sums [R, LANES] → totals [R] Z, mean_weight [R, D] /= Z, transposed [D, R] = x/Z."""
    for r in range(x.shape[0]):
        totals[r] = sums[r].sum()
        inverse, mean, row = np.float32(1) / totals[r], mean_weight[r], x[r]
        for d in range(x.shape[1]):
            mean[d] *= inverse
            transposed[d, r] = to_bfloat16(to_float32(row[d]) * inverse)


@kernel
def _subtract_targets(targets: Words, totals: Floats, share: float, pairs: Pairs) -> None:
    """e less share · Z at every row's target, so that e/Z is less by `share`; targets [≤ R], totals [R]."""
    part = np.float32(share)
    for r in range(targets.shape[0]):
        panel, place = divmod(targets[r], PANEL)
        lower, upper = unpack_pair(pairs[panel, r // 2, place])
        if r % 2:
            upper = to_bfloat16(to_float32(upper) - part * totals[r])
        else:
            lower = to_bfloat16(to_float32(lower) - part * totals[r])
        pairs[panel, r // 2, place] = pack_pair(lower, upper)


def _exponentiate_of(sums_of: SumsOf) -> Any:
    """The kernel of the exponentials of some rows and a panel of words, from what makes their logits."""
    exp_of_rows = exp_logits(sums_of)

    @kernel
    def exponentiate(
        left: Any,
        right: Any,
        first: int,
        end: int,
        words: int,
        shifts: Floats,
        rows: BFloat16s,
        pairs: Pairs,
        sums: Floats,
    ) -> None:
        """Rows `first` to `end` of left [N, D] times a panel of `words` words → e, added to sums [N, LANES].

        e goes into rows [end - first, PANEL ..] and pairs [(end - first) / 2, PANEL].
        """
        for r in range(first, end, MR):
            shift, total = shifts[r:].ctypes.data, sums[r:].ctypes.data
            row, pair = rows[r - first :].ctypes.data, pairs[(r - first) // 2 :].ctypes.data
            exp_of_rows(left, right, r, ExpLogitsOutput(shift, words, row, rows.strides[0], pair, total))

    return exponentiate


def softmax_projection_of(sums_of: SumsOf, panel_of: Any) -> Any:
    """The kernel of the whole softmax projection, from what makes logits and the kernel that finds a panel of words."""
    exponentiate = _exponentiate_of(sums_of)

    @kernel
    def project(
        left: Any,
        right: Any,
        x: BFloat16s,
        across: Pairs,
        inputs: SoftmaxInputs,
        outputs: SoftmaxOutputs,
        workspace: BFloat16Workspace,
    ) -> None:
        words, targets, share, shifts = inputs
        require(x.shape[0] % MR == 0 and x.shape[1] % PANEL == 0)
        totals, mean_weight, mean_features = outputs
        size, sums, count = x.shape[0], np.zeros((x.shape[0], LANES), np.float32), mean_features.shape[0]
        workspace.transposed[x.shape[1] :] = 0
        for first in range(0, size, CHUNK):
            end = min(first + CHUNK, size)
            here, mean, rows = x[first:end], mean_weight[first:end], workspace.rows[: end - first]
            for group in range(0, count, GROUP):
                last = min(group + GROUP, count)
                for p in range(group, last):
                    at, known, panel = (p - group) * PANEL, min(PANEL, words - p * PANEL), panel_of(right, p * PANEL)
                    exponentiate(left, panel, first, end, known, shifts, rows[:, at:], workspace.pairs[p], sums)
                for d in range(across.shape[0]):
                    weight = across[d, group * PANEL // 2 : last * PANEL // 2]
                    _add_product(rows, weight, mean, d * PANEL)
            _divide(here, sums[first:end], totals[first:end], mean, workspace.transposed)
            _subtract_targets(targets[first:end], totals[first:end], share, workspace.pairs)
            for p in range(count):
                _add_product(workspace.transposed, workspace.pairs[p, : (end - first) // 2], mean_features[p], 0)

    return project


class _Panel(NamedTuple):
    """A panel of pairs: its address, and how many pairs each of its columns has."""

    address: int
    steps: int


def _sums_of_pairs(code: Code, left: Any, right: Any, first: Any) -> list[Any]:
    """The logits of MR rows, whose products are of two numbers of bfloat16 at a time."""
    (address, stride, _), (panel, steps) = code.unpack(left), code.unpack(right)
    rows, initial = code.addresses(address, stride, MR, first), [splat(0.0)] * MR * PANEL_VECTORS
    return accumulate(code, rows, panel, steps, initial, add_bfloat16_dot)


@kernel
def _panel_of(panels: Pairs, column: int) -> _Panel:
    return _Panel(panels[column // PANEL].ctypes.data, panels.shape[1])


_softmax_projection = softmax_projection_of(_sums_of_pairs, _panel_of)


@kernel
def softmax_projection(
    x: BFloat16s,
    panels: Pairs,
    across: Pairs,
    inputs: SoftmaxInputs,
    outputs: SoftmaxOutputs,
    workspace: BFloat16Workspace,
) -> None:
    """x [N, D], and W, which is given packed in two ways → outputs.

    panels [P, D/2, PANEL]: pairs along D; across [D/PANEL, P · PANEL/2, PANEL]: pairs along V, zeros at its end.
    """
    _softmax_projection(LeftOperand(x.ctypes.data, x.strides[0], 0), panels, x, across, inputs, outputs, workspace)
