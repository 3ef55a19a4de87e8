"""Equation 1 for rows that each see keys of their own.

Shapes: R rows, H heads, A the width of all heads, d = A / H.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.aligned import empty
from polyhead.kernels.arrays.bounds import require, require_same, require_within
from polyhead.kernels.arrays.unowned import in_use_until_here, unowned
from polyhead.kernels.attention.heads import mixture, scores, softmax
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]
VECTORS = 4
"""How many vectors of a head are multiplied together, where it has so many."""
WHOLE = VECTORS * LANES
"""The numbers in them. A head has a multiple of LANES numbers."""
_scores, _scores_of_one = scores(VECTORS), scores(1)
_mixture, _mixture_of_one = mixture(VECTORS), mixture(1)


class Sight(NamedTuple):
    """Which keys and values each query sees."""

    places: Integers
    """[O, J] lists of rows of a store of keys and values."""
    counts: Integers
    """[O] how many numbers of a list count, the first ones."""
    owner: Integers
    """[R] which of the lists is a query's."""


@kernel
def _score(query: Floats, store: Floats, first: int, size: int, seen: Integers, scores: Floats) -> None:
    """The scores of one query [A] in one head, the numbers first … first + size - 1, with every key that it sees.

    Behind the last score there is -∞, to the end of its vector.
    """
    places, stride = np.uintp(seen.ctypes.data), store.strides[0]
    out, done = np.uintp(scores.ctypes.data), 0
    while done < size:
        begin = first + done
        part, key = np.uintp(query[begin:].ctypes.data), np.uintp(store[0, begin:].ctypes.data)
        if size - done >= WHOLE:
            _scores(part, key, stride, places, seen.shape[0], out, done)
            done += WHOLE
        else:
            _scores_of_one(part, key, stride, places, seen.shape[0], out, done)
            done += LANES


@kernel
def _mix(weights: Floats, store: Floats, first: int, size: int, seen: Integers, y: Floats) -> None:
    """The weighted sum of one head's values → the same numbers of y [A]."""
    places, stride = np.uintp(seen.ctypes.data), store.strides[0]
    given, end, width = np.uintp(weights.ctypes.data), first + size, y.shape[0]
    while first < end:
        value, out = np.uintp(store[0, width + first :].ctypes.data), np.uintp(y[first:].ctypes.data)
        if end - first >= WHOLE:
            _mixture(given, value, stride, places, seen.shape[0], out)
            first += WHOLE
        else:
            _mixture_of_one(given, value, stride, places, seen.shape[0], out)
            first += LANES


@kernel
def attend(query: Floats, store: Floats, sight: Sight, heads: int, y: Floats) -> None:
    """query [R, A] (scaled already), keys and values store [.., 2·A] → y [R, A]; where a row sees nothing, 0."""
    require_same(query, y)
    require(store.shape[1] == 2 * y.shape[1] and y.shape[1] % (heads * LANES) == 0)
    weights = empty(heads, sight.places.shape[1] + LANES, np.float32).reshape(-1)
    _attend(heads, unowned((query, store, sight, weights, y)))
    in_use_until_here(weights)


@kernel
def _attend(heads: int, given: Any) -> None:
    query, store, sight, workspace, y = given
    size = query.shape[1] // heads
    for r in range(query.shape[0]):
        owner = sight.owner[r]
        seen = sight.places[owner, : sight.counts[owner]]
        require_within(seen, store.shape[0])
        if seen.shape[0] == 0:
            y[r] = 0
            continue
        vectors = (seen.shape[0] + LANES - 1) // LANES
        weights = workspace[: heads * vectors * LANES].reshape((heads, vectors * LANES))
        for h in range(heads):
            _score(query[r], store, h * size, size, seen, weights[h])
            softmax(np.uintp(weights[h].ctypes.data), vectors)
        for h in range(heads):
            _mix(weights[h], store, h * size, size, seen, y[r])
