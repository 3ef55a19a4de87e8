"""Holding a part of the training text out for validation, so that nothing that is validated on is learnt from."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from polyhead.data.readers import Pair

MOST_HELD_OUT = 500
"""Source sentences that are held out at most, however large the corpus is."""
SHARE = 20
"""One source sentence of so many is held out, of a small corpus one at least."""


def hold_out(pairs: Sequence[Pair], seed: int) -> tuple[list[int], list[int]]:
    """The rows of the pairs to learn from and of the pairs to validate on, each in rising order.

    All pairs with the same source sentence go the same way, and so does a pair that is another one the other way round:
    no sentence that is validated on is the source of a training pair. The same seed holds the same pairs out. Where
    all pairs belong together nothing can be held out: then both results are all the rows.
    """
    groups = _Groups(pairs)
    chosen = _drawn(pairs, groups, seed)
    if not chosen or sum(pair.source in chosen for pair in pairs) > len(pairs) / 2:
        chosen = _smallest(pairs, groups, seed)
    train = [row for row, pair in enumerate(pairs) if pair.source not in chosen]
    if not train:
        return list(range(len(pairs))), list(range(len(pairs)))
    return train, [row for row, pair in enumerate(pairs) if pair.source in chosen]


def _wanted(pairs: Sequence[Pair]) -> int:
    return max(1, min(MOST_HELD_OUT, len(pairs) // SHARE))


def _drawn(pairs: Sequence[Pair], groups: "_Groups", seed: int) -> set[str]:
    """The sources of groups that are drawn at random; those with more pairs than are wanted stay in training."""
    wanted = _wanted(pairs)
    chosen: set[str] = set()
    for pair in random.Random(seed).sample(pairs, wanted):
        if len(chosen) < wanted and groups.size(pair.source) <= wanted:
            chosen |= groups.of(pair.source)
    return chosen


def _smallest(pairs: Sequence[Pair], groups: "_Groups", seed: int) -> set[str]:
    """The sources of the smallest groups, for a corpus in which a few of them have most pairs.

    As many as are wanted, but no more than leave half of the pairs for training, and one group at least.
    """
    sources = list(dict.fromkeys(pair.source for pair in pairs))
    random.Random(seed).shuffle(sources)
    chosen: set[str] = set()
    taken = 0
    for source in sorted(sources, key=groups.size):
        if source in chosen:
            continue
        taken += groups.size(source)
        if chosen and (taken > len(pairs) / 2 or len(chosen) >= _wanted(pairs)):
            break
        chosen |= groups.of(source)
    return chosen


class _Groups:
    """Which source sentences belong together: those of pairs that are each other the other way round."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._counts = Counter(pair.source for pair in pairs)
        both = {(pair.source, pair.target) for pair in pairs if pair.target in self._counts}
        neighbours: dict[str, set[str]] = {}
        for source, target in both:
            if source != target and (target, source) in both:
                neighbours.setdefault(source, set()).add(target)
        self._of: dict[str, frozenset[str]] = {}
        for source in neighbours:
            if source not in self._of:
                group = _reachable(source, neighbours)
                self._of |= dict.fromkeys(group, group)

    def of(self, source: str) -> frozenset[str]:
        """All source sentences that belong to this one, itself included."""
        return self._of.get(source, frozenset([source]))

    def size(self, source: str) -> int:
        """The number of pairs that have one of these sources."""
        return sum(self._counts[each] for each in self.of(source))


def _reachable(start: str, neighbours: Mapping[str, set[str]]) -> frozenset[str]:
    found, waiting = {start}, [start]
    while waiting:
        new = neighbours[waiting.pop()] - found
        found |= new
        waiting += new
    return frozenset(found)
