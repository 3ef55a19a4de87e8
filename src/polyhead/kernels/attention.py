"""Equation 1 for rows that each see keys of their own.

Shapes: R rows, H heads, A the width of all heads, d = A / H.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compile import kernel
from polyhead.kernels.exponential import exponential
from polyhead.kernels.registers import ACROSS, LANES, mixture, scores

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]
WHOLE = ACROSS * LANES
"""Numbers of a head looked at together, where it has so many; it must have a multiple of LANES."""
_scores, _scores_of_one = scores(ACROSS), scores(1)
_mixture, _mixture_of_one = mixture(ACROSS), mixture(1)


class Sight(NamedTuple):
    """Which keys and values each row may look at."""

    places: Integers
    """[O, J] the rows of a store …"""
    counts: Integers
    """[O] … of which the first so many count."""
    owner: Integers
    """[R] the line of `places` that is a row's."""


@kernel
def _softmax(scores: Floats) -> None:
    largest = np.float32(-np.inf)
    for j in range(scores.shape[0]):
        largest = max(largest, scores[j])
    total = np.float32(0)
    for j in range(scores.shape[0]):
        scores[j] = exponential(scores[j] - largest)
        total += scores[j]
    for j in range(scores.shape[0]):
        scores[j] /= total


@kernel
def attend(query: Floats, store: Floats, sight: Sight, heads: int, y: Floats) -> None:
    """query [R, A] (scaled already), keys and values store [.., 2·A] → y [R, A]; where a row sees nothing, 0."""
    rows, width = query.shape
    size, stride = width // heads, store.strides[0]
    for r in range(rows):
        owner = sight.owner[r]
        count = sight.counts[owner]
        if count == 0:
            y[r] = 0
            continue
        seen = np.uintp(sight.places[owner].ctypes.data)
        weights = np.zeros((heads, count), np.float32)
        for h in range(heads):
            out, first, end = np.uintp(weights[h].ctypes.data), h * size, (h + 1) * size
            while first < end:
                part, key = np.uintp(query[r, first:].ctypes.data), np.uintp(store[0, first:].ctypes.data)
                if end - first >= WHOLE:
                    _scores(part, key, stride, seen, count, out)
                    first += WHOLE
                else:
                    _scores_of_one(part, key, stride, seen, count, out)
                    first += LANES
            _softmax(weights[h])
        for h in range(heads):
            given, first, end = np.uintp(weights[h].ctypes.data), h * size, (h + 1) * size
            while first < end:
                value, out = np.uintp(store[0, width + first :].ctypes.data), np.uintp(y[r, first:].ctypes.data)
                if end - first >= WHOLE:
                    _mixture(given, value, stride, seen, count, out)
                    first += WHOLE
                else:
                    _mixture_of_one(given, value, stride, seen, count, out)
                    first += LANES
