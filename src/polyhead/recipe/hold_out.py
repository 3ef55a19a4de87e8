"""Holding a part of the training text out for validation, so that nothing that is validated on is learnt from."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from polyhead.data.digests import Digests, digests_of, rows_among
from polyhead.data.readers import Pair

MOST_HELD_OUT = 500
"""Source sentences that are held out at most, however large the corpus is."""
SHARE = 20
"""One in so many source sentences is held out, and at least one of a small corpus."""


_FEW = 1 << 16
"""The most pairs that are grouped as a whole. Of a larger corpus only pairs related to drawn sources are grouped."""


def hold_out(pairs: Sequence[Pair], seed: int) -> tuple[list[int], list[int]]:
    """The rows of the pairs to learn from and of the pairs to validate on, each in rising order.

    All pairs with the same source sentence go the same way, and so does a pair that is another one the other way round:
    no sentence that is validated on is the source of a training pair. The same seed holds the same pairs out. Where
    all pairs belong together nothing can be held out: then both results are all the rows.
    """
    everything = list(range(len(pairs)))
    held_out = rows_to_hold_out(digests_of(p.source for p in pairs), digests_of(p.target for p in pairs), seed)
    if len(held_out) == len(pairs):
        return everything, everything
    return np.delete(np.arange(len(pairs)), held_out).tolist(), held_out.tolist()


def rows_to_hold_out(sources: Digests, targets: Digests, seed: int) -> NDArray[np.int64]:
    """The rows of the pairs to validate on, in rising order; all rows where nothing can be held out.

    sources, targets: [N] `digests_of` the texts, which may be mapped files
    """
    if not len(sources):
        return np.zeros(0, np.int64)
    drawn = random.Random(seed).sample(range(len(sources)), _wanted(sources))
    some = np.arange(len(sources)) if len(sources) <= _FEW else _related(sources, targets, sources[drawn])
    chosen = _drawn([int(sources[row]) for row in drawn], _Groups(sources[some], targets[some]))
    rows = _rows(sources, chosen)
    if not chosen or len(rows) > len(sources) / 2:
        rows = _rows(sources, _smallest(sources, _Groups(sources, targets), seed))
    return rows


def _wanted(sources: Digests) -> int:
    return max(1, min(MOST_HELD_OUT, len(sources) // SHARE))


def _rows(sources: Digests, chosen: Iterable[int]) -> NDArray[np.int64]:
    return rows_among(sources, np.array(sorted(chosen), np.uint64))


def _related(sources: Digests, targets: Digests, start: Digests) -> NDArray[np.int64]:
    """The rows of all pairs that could be in a group with one of the sources `start`; the corpus is read in parts."""
    known, new = set[int](start.tolist()), start
    while len(new):
        there = {(source, target) for source, target in _pairs(sources, targets, new)}
        back = {(source, target) for target, source in _pairs(targets, sources, new)}
        found = {target for source, target in there if (target, source) in back} - known
        known |= found
        new = np.array(sorted(found), np.uint64)
    return _rows(sources, known)


def _pairs(one: Digests, other: Digests, wanted: Digests) -> Iterable[tuple[int, int]]:
    """Both sides of the pairs whose side in `one` is among `wanted`."""
    rows = rows_among(one, wanted)
    return zip(one[rows].tolist(), other[rows].tolist(), strict=True)


def _drawn(sources: Sequence[int], groups: "_Groups") -> set[int]:
    """The sources of the groups that were drawn at random. Groups of more pairs than are wanted stay in training."""
    chosen: set[int] = set()
    for source in sources:
        if len(chosen) < len(sources) and groups.size(source) <= len(sources):
            chosen |= groups.of(source)
    return chosen


def _smallest(digests: Digests, groups: "_Groups", seed: int) -> set[int]:
    """The sources of the smallest groups, for a corpus in which a few groups have most pairs.

    Groups are taken until they have as many sources as are wanted, or the next would leave less than half of the pairs
    for training; one group is always taken.
    """
    sources = list(dict.fromkeys(digests.tolist()))
    random.Random(seed).shuffle(sources)
    chosen: set[int] = set()
    taken = 0
    for source in sorted(sources, key=groups.size):
        if source in chosen:
            continue
        taken += groups.size(source)
        if chosen and (taken > len(digests) / 2 or len(chosen) >= _wanted(digests)):
            break
        chosen |= groups.of(source)
    return chosen


class _Groups:
    """Groups of source sentences. Two that are each other's targets in some pairs are in one group."""

    def __init__(self, sources: Digests, targets: Digests) -> None:
        self._counts = Counter[int](sources.tolist())
        pairs = zip(sources.tolist(), targets.tolist(), strict=True)
        both = {(source, target) for source, target in pairs if target in self._counts}
        neighbours: dict[int, set[int]] = {}
        for source, target in both:
            if source != target and (target, source) in both:
                neighbours.setdefault(source, set()).add(target)
        self._of: dict[int, frozenset[int]] = {}
        self._sizes: dict[int, int] = {}
        for source in neighbours:
            if source not in self._of:
                group = _reachable(source, neighbours)
                self._of |= dict.fromkeys(group, group)
                self._sizes |= dict.fromkeys(group, sum(self._counts[each] for each in group))

    def of(self, source: int) -> frozenset[int]:
        """All source sentences in the group of `source`, itself included."""
        return self._of.get(source, frozenset([source]))

    def size(self, source: int) -> int:
        """The number of pairs whose source is in the group of `source`."""
        return self._sizes.get(source, self._counts[source])


def _reachable(start: int, neighbours: Mapping[int, set[int]]) -> frozenset[int]:
    found, waiting = {start}, [start]
    while waiting:
        new = neighbours[waiting.pop()] - found
        found |= new
        waiting += new
    return frozenset(found)
