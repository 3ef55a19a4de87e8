"""What spoils a training without stopping it: said before work begins, with counts and the first place of each."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from polyhead.data.readers.pair import Pair, usable
from polyhead.text import is_blank

LOOKED_AT = 200_000
"""Pairs whose lengths are compared."""
COMPARABLE = 500
"""With fewer pairs, lengths that have nothing to do with each other may be chance."""
UNRELATED, UNEVEN = 0.1, 0.15
"""The correlation of log lengths below which two sides aren't translations of each other (those of translations are
above 0.5), and their standard deviation above which that can be told."""
SAME = 0.05
"""The share of pairs with the same text on both sides above which it is said: names and numbers are fewer."""


def suspicions(train: Sequence[Pair], dev: Sequence[Pair] = ()) -> list[str]:
    """Sentences about training pairs and pairs to validate on; none where nothing is suspicious."""
    return [*_of_training(train), *_of_validation(train, dev)]


def _of_training(train: Sequence[Pair]) -> Iterator[str]:
    same = [pair for pair in train if pair.source == pair.target]
    if len(same) > SAME * len(train):
        yield (
            f"{_counted(same)} the same text on both sides (first: {same[0].origin}): a model learns to copy from "
            "them; leave them out with --data.cleaning.drop_untranslated true"
        )
    broken = [pair for pair in train if "\0" in pair.source or "\0" in pair.target]
    if broken:
        yield f"{_counted(broken)} NUL characters (first: {broken[0].origin}): is the file text, and not UTF-16?"
    if _are_unrelated(train[:LOOKED_AT]):
        yield (
            "the lengths of the two sides have nothing to do with each other: line n of one file must be the "
            "translation of line n of the other; is one of them sorted or shuffled?"
        )


def _of_validation(train: Sequence[Pair], judged: Sequence[Pair]) -> Iterator[str]:
    flawed, dev = [pair for pair in judged if pair.flaw is not None], list(usable(judged))
    if flawed:
        counted = _counted(flawed, "pairs to validate on")
        yield f"{counted} no finished translation (first: {flawed[0].origin}): left out"
    blank = [pair for pair in dev if is_blank(pair.source) or is_blank(pair.target)]
    if blank:
        counted = _counted(blank, "pairs to validate on")
        yield f"{counted} an empty side (first: {blank[0].origin}): no score counts there"
    folded = [_folded(pair) for pair in dev]
    known = frozenset(folded)
    learnt = {each for each in map(_folded, train if known else ()) if each in known}
    leaked = [pair for pair, each in zip(dev, folded, strict=True) if each in learnt]
    if leaked:
        one = len(leaked) == 1
        counted = f"{_counted(leaked, 'pairs to validate on', 'are')} {'a training pair' if one else 'training pairs'}"
        yield (f"{counted} too (first: {leaked[0].origin}): scores will be better than those of other text")


def _are_unrelated(pairs: Sequence[Pair]) -> bool:
    if len(pairs) < COMPARABLE:
        return False
    source, target = _log_lengths(pair.source for pair in pairs), _log_lengths(pair.target for pair in pairs)
    if min(source.std(), target.std()) < UNEVEN:
        return False
    return bool(np.corrcoef(source, target)[0, 1] < UNRELATED)


def _log_lengths(texts: Iterable[str]) -> NDArray[np.float64]:
    return np.log1p(np.array([len(text) for text in texts], np.float64))


def _folded(pair: Pair) -> tuple[str, ...]:
    """The same for pairs that differ in case and white space alone."""
    return tuple(" ".join(side.casefold().split()) for side in (pair.source, pair.target))


def _counted(pairs: Sequence[Pair], what: str = "training pairs", verb: str = "have") -> str:
    if len(pairs) > 1:
        return f"{len(pairs):,} {what} {verb}"
    return f"1 of the {what} {'has' if verb == 'have' else 'is'}"
