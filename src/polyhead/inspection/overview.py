"""Attention maps small enough to show many at once."""

import numpy as np
from numpy.typing import NDArray

from polyhead.inspection.names import Array

LARGEST = 64
"""The most rows, and the most columns, of a thumbnail."""


def overview(weights: Array) -> NDArray[np.uint8]:
    """weights [L, H, Tq, Tk] → [L, H, ≤ 64, ≤ 64], each cell the largest weight it stands for, times 255.

    The largest, not the mean: a head that looks at a single token must show in a long sentence too.
    """
    pooled = weights
    for axis in (-2, -1):
        length = pooled.shape[axis]
        count = min(length, LARGEST)
        starts = [i * length // count for i in range(count)]
        pooled = np.maximum.reduceat(pooled, starts, axis=axis)
    return np.round(pooled * 255).astype(np.uint8)
