"""Holding a part of the training text out for validation, so that nothing that is validated on is learnt from."""

import random
from collections.abc import Sequence

from polyhead.data.readers import Pair

MOST_HELD_OUT = 1000
"""Source sentences that are held out at most, however large the corpus is."""
SHARE = 20
"""One source sentence of so many is held out, of a small corpus one at least."""


def hold_out(pairs: Sequence[Pair], seed: int) -> tuple[list[Pair], list[Pair]]:
    """The pairs to learn from and the pairs to validate on, each in the order of the corpus.

    All pairs with the same source sentence go the same way, so that no sentence that is validated on is in training.
    The same seed holds the same pairs out. Where there is only one source sentence, nothing can be held out: then both
    results are all the pairs.
    """
    chosen = _drawn(pairs, seed)
    if sum(pair.source in chosen for pair in pairs) > len(pairs) / 2:
        chosen = _rarest(pairs, seed)
    train = [pair for pair in pairs if pair.source not in chosen]
    if not train:
        return list(pairs), list(pairs)
    return train, [pair for pair in pairs if pair.source in chosen]


def _wanted(pairs: Sequence[Pair]) -> int:
    return max(1, min(MOST_HELD_OUT, len(pairs) // SHARE))


def _drawn(pairs: Sequence[Pair], seed: int) -> set[str]:
    """The sources of pairs that are drawn at random."""
    return {pair.source for pair in random.Random(seed).sample(pairs, _wanted(pairs))}


def _rarest(pairs: Sequence[Pair], seed: int) -> set[str]:
    """The sources with the fewest pairs, for a corpus in which a few sources have most of them.

    As many as are wanted, but no more than leave half of the pairs for training, and one at least.
    """
    counts: dict[str, int] = {}
    for pair in pairs:
        counts[pair.source] = counts.get(pair.source, 0) + 1
    sources = list(counts)
    random.Random(seed).shuffle(sources)
    chosen: set[str] = set()
    taken = 0
    for source in sorted(sources, key=lambda each: counts[each]):
        taken += counts[source]
        if chosen and (taken > len(pairs) / 2 or len(chosen) == _wanted(pairs)):
            break
        chosen.add(source)
    return chosen
