"""Computes the largest of a row's logits once more, from weights and features that are not rounded.

Rounded products are near enough to say which words can't be next. Among those that can, a logit that is off by a
hundredth would change the answer, and there are few of them. Shapes: R rows, V vocabulary, D features.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.bounds import require_product
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES
from polyhead.kernels.numbers.dot import dot
from polyhead.kernels.numbers.extremes import BLOCK, block_maxima
from polyhead.kernels.threads.team import Board, shared

Floats = NDArray[np.float32]
MARGIN = np.float32(4)
"""How far below a row's largest logit others are computed again: a word a fiftieth as probable is no contender."""


@kernel
def _dot(x: Floats, y: Floats) -> Any:
    vectors, total = x.shape[0] // LANES, np.float32(0)
    if vectors:
        total = dot(np.uintp(x.ctypes.data), np.uintp(y.ctypes.data), vectors)
    for k in range(vectors * LANES, x.shape[0]):
        total += x[k] * y[k]
    return total


@kernel
def _rescore_rows(member: int, first: int, last: int, given: Any) -> None:
    """Does the work of `rescore` for rows first … last - 1."""
    logits, features, weight, peaks = given
    size, blocks = logits.shape[1], logits.shape[1] // BLOCK
    for r in range(first, last):
        row, highest = logits[r], np.float32(-np.inf)
        if blocks:
            highest = block_maxima(np.uintp(row.ctypes.data), blocks, np.uintp(peaks[r].ctypes.data))
        for v in range(blocks * BLOCK, size):
            highest = max(highest, row[v])
        least = highest - MARGIN
        for block in range(blocks + 1):
            if block == blocks or peaks[r, block] >= least:
                for v in range(block * BLOCK, min((block + 1) * BLOCK, size)):
                    if row[v] >= least:
                        row[v] = _dot(features[r], weight[v])


_rescore_all = shared(_rescore_rows)


@kernel
def rescore(logits: Floats, features: Floats, weight: Floats, board: Board) -> None:
    """logits [R, V] ≈ features [R, D] weight [V, D]ᵀ become exact where a word may be the next one."""
    require_product(features, weight, logits)
    peaks = np.empty((logits.shape[0], logits.shape[1] // BLOCK), np.float32)
    _rescore_all(board, logits.shape[0], (logits, features, weight, peaks))
