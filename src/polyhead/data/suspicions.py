"""What spoils a training without stopping it: said before work begins, with counts and the first place of each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyhead.data.digests import Digests, digests_of_content, rows_among
from polyhead.data.readers.pair import Pair, usable
from polyhead.text import is_blank

LOOKED_AT = 200_000
"""Pairs whose lengths are compared."""
COMPARABLE = 500
"""The fewest pairs whose lengths are compared: of fewer, lengths may seem unrelated by chance."""
UNRELATED, UNEVEN = 0.1, 0.15
"""The correlation of log lengths below which two sides aren't translations of each other (it is above 0.5 between
translations), and the standard deviation of log lengths from which on that can be told."""
SAME = 0.05
"""The share of pairs with the same text on both sides above which they are suspicious: names and numbers are fewer."""


def suspicions(train: Sequence[Pair], dev: Sequence[Pair] = ()) -> list[str]:
    """Sentences about training pairs and pairs to validate on; none where nothing is suspicious."""
    of_training = TrainingSuspicions()
    of_training.add(train)
    return [*of_training.sentences(), *of_validation(dev, digests_of_content(train if dev else ()))]


class TrainingSuspicions:
    """What is suspicious in training pairs, which are added in their order, some at a time, and not kept."""

    def __init__(self) -> None:
        self._count = 0
        self._same, self._broken = Tally(), Tally()
        self._lengths: list[tuple[int, int]] = []

    def add(self, pairs: Sequence[Pair]) -> None:
        """Looks at the next pairs."""
        self._count += len(pairs)
        self._same.add(*(pair for pair in pairs if pair.source == pair.target))
        self._broken.add(*(pair for pair in pairs if "\0" in pair.source or "\0" in pair.target))
        some = pairs[: LOOKED_AT - len(self._lengths)]
        self._lengths += [(len(pair.source), len(pair.target)) for pair in some]

    def sentences(self) -> list[str]:
        """Sentences about all pairs that were added; none where nothing is suspicious."""
        same, broken = self._same, self._broken
        said: list[str] = []
        if same.count > SAME * self._count:
            said.append(
                f"{same.counted()} the same text on both sides (first: {same.first}): a model learns to copy from "
                "them; leave them out with --data.cleaning.drop_untranslated true"
            )
        if broken.count:
            said.append(f"{broken.counted()} NUL characters (first: {broken.first}): is the file text, and not UTF-16?")
        if _are_unrelated(self._lengths):
            said.append(
                "the lengths of the two sides have nothing to do with each other: line n of one file must be the "
                "translation of line n of the other; is one of them sorted or shuffled?"
            )
        return said


def of_validation(judged: Sequence[Pair], learnt: Digests) -> list[str]:
    """Sentences about pairs to validate on.

    learnt: [N] `digests_of_content` of the training pairs
    """
    said: list[str] = []
    flawed, blank, leaked = Tally(), Tally(), Tally()
    dev = list(usable(judged))
    flawed.add(*(pair for pair in judged if pair.flaw is not None))
    blank.add(*(pair for pair in dev if is_blank(pair.source) or is_blank(pair.target)))
    content = digests_of_content(dev)
    known = np.unique(learnt[rows_among(learnt, content)])
    for row in rows_among(content, known):
        leaked.add(dev[int(row)])
    if flawed.count:
        counted = flawed.counted("pairs to validate on")
        said.append(f"{counted} no finished translation (first: {flawed.first}): left out")
    if blank.count:
        counted = blank.counted("pairs to validate on")
        said.append(f"{counted} an empty side (first: {blank.first}): no score counts there")
    if leaked.count:
        counted = leaked.counted("pairs to validate on", "are")
        which = "a training pair" if leaked.count == 1 else "training pairs"
        said.append(f"{counted} {which} too (first: {leaked.first}): scores will be better than those of other text")
    return said


@dataclass
class Tally:
    """How many pairs there are of a kind, and where the first of them stands."""

    count: int = 0
    first: str = ""

    def add(self, *pairs: Pair) -> None:
        """Counts more pairs of this kind."""
        if pairs and not self.count:
            self.first = pairs[0].origin
        self.count += len(pairs)

    def counted(self, what: str = "training pairs", verb: str = "have") -> str:
        """The number with its noun and verb, as a message about these pairs begins."""
        if self.count > 1:
            return f"{self.count:,} {what} {verb}"
        return f"1 of the {what} {'has' if verb == 'have' else 'is'}"


def _are_unrelated(lengths: Sequence[tuple[int, int]]) -> bool:
    """Whether the lengths of the two sides have nothing to do with each other; lengths: in characters, of each pair."""
    if len(lengths) < COMPARABLE:
        return False
    source, target = np.log1p(np.array(lengths, np.float64)).T
    if min(source.std(), target.std()) < UNEVEN:
        return False
    return bool(np.corrcoef(source, target)[0, 1] < UNRELATED)
