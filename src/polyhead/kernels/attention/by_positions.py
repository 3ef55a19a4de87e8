"""Equation 1 where each query has a list of the keys that it may see.

Shapes: R rows, H heads, A the width of all heads, d = A / H.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.aligned import empty
from polyhead.kernels.arrays.bounds import require, require_same, require_within
from polyhead.kernels.arrays.unowned import keep_alive, unowned
from polyhead.kernels.attention.heads import scores, softmax, weighted_sum
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]
VECTORS = 4
"""How many vectors of a head are multiplied together, where it has so many."""
PART = VECTORS * LANES
"""How many numbers these vectors hold. A head has a multiple of LANES numbers."""
_scores, _scores_of_one = scores(VECTORS), scores(1)
_weighted_sum_of_vectors, _weighted_sum_of_one = weighted_sum(VECTORS), weighted_sum(1)


class VisibleKeys(NamedTuple):
    """Which keys and values each query sees."""

    rows: Integers
    """[O, J] lists of rows of a matrix of keys and values."""
    counts: Integers
    """[O] the length of each list; the numbers behind it mean nothing."""
    owner: Integers
    """[R] the number of each query's list."""


@kernel
def _score_head(query: Floats, keys_values: Floats, first: int, size: int, rows: Integers, scores: Floats) -> None:
    """The scores of one query [A] in one head, the numbers first … first + size - 1, with every key that it may see.

    Behind the last score there is -∞, to the end of its vector.
    """
    row_numbers, stride = np.uintp(rows.ctypes.data), keys_values.strides[0]
    out, done = np.uintp(scores.ctypes.data), 0
    while done < size:
        begin = first + done
        part, key = np.uintp(query[begin:].ctypes.data), np.uintp(keys_values[0, begin:].ctypes.data)
        if size - done >= PART:
            _scores(part, key, stride, row_numbers, rows.shape[0], out, done)
            done += PART
        else:
            _scores_of_one(part, key, stride, row_numbers, rows.shape[0], out, done)
            done += LANES


@kernel
def _weighted_sum(weights: Floats, keys_values: Floats, first: int, size: int, rows: Integers, y: Floats) -> None:
    """The weighted sum of one head's values → the numbers first … first + size - 1 of y [A]."""
    row_numbers, stride = np.uintp(rows.ctypes.data), keys_values.strides[0]
    given, end, width = np.uintp(weights.ctypes.data), first + size, y.shape[0]
    while first < end:
        value, out = np.uintp(keys_values[0, width + first :].ctypes.data), np.uintp(y[first:].ctypes.data)
        if end - first >= PART:
            _weighted_sum_of_vectors(given, value, stride, row_numbers, rows.shape[0], out)
            first += PART
        else:
            _weighted_sum_of_one(given, value, stride, row_numbers, rows.shape[0], out)
            first += LANES


@kernel
def attend(query: Floats, keys_values: Floats, visible: VisibleKeys, heads: int, y: Floats) -> None:
    """query [R, A], scaled already, and keys_values [.., 2·A] → y [R, A]; where a query sees no key, 0."""
    require_same(query, y)
    require(keys_values.shape[1] == 2 * y.shape[1] and y.shape[1] % (heads * LANES) == 0)
    weights = empty(heads, visible.rows.shape[1] + LANES, np.float32).reshape(-1)
    _attend(heads, unowned((query, keys_values, visible, weights, y)))
    keep_alive(weights)


@kernel
def _attend(heads: int, given: Any) -> None:
    query, keys_values, visible, workspace, y = given
    size = query.shape[1] // heads
    for r in range(query.shape[0]):
        owner = visible.owner[r]
        rows = visible.rows[owner, : visible.counts[owner]]
        require_within(rows, keys_values.shape[0])
        if rows.shape[0] == 0:
            y[r] = 0
            continue
        vectors = (rows.shape[0] + LANES - 1) // LANES
        weights = workspace[: heads * vectors * LANES].reshape((heads, vectors * LANES))
        for h in range(heads):
            _score_head(query[r], keys_values, h * size, size, rows, weights[h])
            softmax(np.uintp(weights[h].ctypes.data), vectors)
        for h in range(heads):
            _weighted_sum(weights[h], keys_values, h * size, size, rows, y[r])
