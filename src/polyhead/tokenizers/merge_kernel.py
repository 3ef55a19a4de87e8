"""BPE dropout (Provilkov et al. 2020, algorithm 1) on whole texts, written as symbols.

Shapes: N symbols of all texts together, P pairs that may be merged.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel

Symbols = NDArray[np.int32]
_MULTIPLIER, _INCREMENT = np.uint64(0x5851F42D4C957F2D), np.uint64(0x14057B7EF767814F)
_UPPER_HALF = np.uint64(32)


class Merges(NamedTuple):
    """The pairs of symbols that may become one, those with the same left symbol together, the right ones ascending."""

    starts: NDArray[np.int64]
    """[symbols + 1] where a left symbol's pairs begin."""
    rights: Symbols
    """[P] the right symbol of each pair."""
    merged: Symbols
    """[P] the symbol that each pair becomes."""
    scores: NDArray[np.float64]
    """[P] the score of each pair; the highest is merged first."""


@kernel
def _next(state: Any) -> Any:
    """A linear congruential generator's next 64 bits, the upper half of which is random (constants of Knuth's MMIX)."""
    return np.uint64(np.uint64(state * _MULTIPLIER) + _INCREMENT)


@kernel
def _pair(merges: Merges, left: int, right: int) -> int:
    """The number of a pair of symbols, or -1 where they do not merge: a negative symbol merges with none."""
    if left < 0:
        return -1
    low, end = merges.starts[left], merges.starts[left + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if merges.rights[middle] < right:
            low = middle + 1
        else:
            high = middle
    return low if low < end and merges.rights[low] == right else -1


@kernel
def _merge(symbols: Symbols, pairs: Any, merges: Merges, dropped: Any, state: Any) -> tuple[int, Any]:
    """A word's symbols [n], merged in place → how many are left, the generator's state; pairs is room for n numbers."""
    count = symbols.shape[0]
    for i in range(count - 1):
        pairs[i] = _pair(merges, symbols[i], symbols[i + 1])
    while True:
        best, place = -math.inf, -1
        for i in range(count - 1):
            if pairs[i] >= 0:
                state = _next(state)
                if merges.scores[pairs[i]] > best and state >> _UPPER_HALF >= dropped:
                    best, place = merges.scores[pairs[i]], i
        if place < 0:
            return count, state
        symbols[place] = merges.merged[pairs[place]]
        count -= 1
        for i in range(place + 1, count):
            symbols[i], pairs[i - 1] = symbols[i + 1], pairs[i]
        if place > 0:
            pairs[place - 1] = _pair(merges, symbols[place - 1], symbols[place])
        if place < count - 1:
            pairs[place] = _pair(merges, symbols[place], symbols[place + 1])


@kernel
def merge(symbols: Symbols, ends: NDArray[np.int64], space: int, merges: Merges, dropped: int, seed: Any) -> None:
    """Merges within the words of each text, in place: symbols [N], ends [texts] before and after.

    space: the symbol that a word begins with; dropped: what part of 2³² of the chances to merge is passed over.
    """
    state = _next(np.uint64(seed))
    pairs = np.empty(symbols.shape[0], np.int32)
    start, written = 0, 0
    for text in range(ends.shape[0]):
        end = ends[text]
        while start < end:
            stop = start + 1
            while stop < end and symbols[stop] != space:
                stop += 1
            count, state = _merge(symbols[start:stop], pairs[start:stop], merges, np.uint64(dropped), state)
            for i in range(count):
                symbols[written + i] = symbols[start + i]
            start, written = stop, written + count
        ends[text] = written
