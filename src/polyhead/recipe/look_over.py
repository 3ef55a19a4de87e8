"""What a corpus is like, before training on it. It is read some pairs at a time, as it may be of any size."""

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from polyhead.data.clean import (
    STAYS,
    CleaningConfig,
    CleaningReport,
    Lengths,
    count_lengths,
    judge,
    settle,
    usual_ratios,
)
from polyhead.data.digests import Digests, digests_of, digests_of_pairs
from polyhead.data.readers import Pair, PairsConfig, in_chunks
from polyhead.data.statistics import LOOKED_AT, CorpusStatistics, Counted
from polyhead.data.stored.stamps import paths_of
from polyhead.data.suspicions import TrainingSuspicions
from polyhead.reading import check_lasting
from polyhead.recipe.hold_out import rows_to_hold_out
from polyhead.recipe.prepare import as_read, read_with_languages
from polyhead.recipe.schema import DataConfig
from polyhead.text import UNITS, Unit, length

Side = Literal["source", "target"]
SIDES: tuple[Side, ...] = get_args(Side)
_AT_A_TIME = 10_000
"""Pairs that are in memory together."""


@dataclass(frozen=True)
class LookedOver:
    """What `look_over` finds out about a corpus."""

    report: CleaningReport
    lengths: dict[Unit, dict[Side, dict[str, float]]]
    """What a text is measured in → side → how much of it the side's texts have: mean, median and so on."""
    suspicions: list[str]
    """Sentences about the pairs that cleaning leaves."""
    statistics: CorpusStatistics
    """The statistics of the pairs to learn from: those that cleaning leaves, without the held-out ones."""


def look_over(data: DataConfig, seed: int) -> LookedOver:
    """Reads the training text of a recipe up to three times, and keeps three digests and a verdict of each pair.

    seed: decides which pairs are held out. Raises DataError for text that can't be read, and for what can be read only
    once, such as a pipe.
    """
    for reader in as_read(data.train, data):
        if not isinstance(reader, PairsConfig):  # whose own reading refuses it
            for path in paths_of(reader):
                check_lasting(path, "a text that is checked is read several times")
    lengths = Counter[Lengths]()
    for some in _parts(data):
        lengths.update(count_lengths(some))
    config, usual, kept = CleaningConfig(), usual_ratios(lengths), _Kept()
    verdicts, pairs = [np.zeros(0, np.uint8)], [np.zeros(0, np.uint64)]
    firsts: dict[int, str] = {}
    for some in _parts(data):
        found = judge(some, usual, config)
        for verdict in set(found.tolist()) - firsts.keys():
            firsts[verdict] = some[int((found == verdict).argmax())].origin
        verdicts.append(found)
        pairs.append(digests_of_pairs(some))
        kept.add([pair for pair, verdict in zip(some, found, strict=True) if verdict == STAYS])
    judged = np.concatenate(verdicts)
    stay, report = settle(judged, np.concatenate(pairs), config, lambda row: firsts[int(judged[row])])
    learnt = kept.learnt(seed)
    stay[stay] = learnt
    return LookedOver(
        report,
        {unit: {side: _summary(kept.lengths[unit, side]) for side in SIDES} for unit in UNITS},
        kept.suspicions.sentences(),
        _counted(data, stay).statistics(int(learnt.sum())),
    )


class _Kept:
    """The pairs that cleaning leaves, of which only suspicions, lengths and digests are kept in memory."""

    def __init__(self) -> None:
        self.suspicions = TrainingSuspicions()
        self.lengths = {(unit, side): Counter[int]() for unit in UNITS for side in SIDES}
        self._digests: dict[Side, list[Digests]] = {side: [np.zeros(0, np.uint64)] for side in SIDES}

    def add(self, pairs: Sequence[Pair]) -> None:
        """Looks at the next pairs."""
        self.suspicions.add(pairs)
        for side in SIDES:
            texts: list[str] = [getattr(pair, side) for pair in pairs]
            for unit in UNITS:
                self.lengths[unit, side].update(length(text, unit) for text in texts)
            self._digests[side].append(digests_of(texts))

    def learnt(self, seed: int) -> NDArray[np.bool_]:
        """[N] which of the pairs aren't held out; all of them where nothing can be held out."""
        sources, targets = (np.concatenate(self._digests[side]) for side in SIDES)
        held_out = rows_to_hold_out(sources, targets, seed)
        learnt = np.ones(len(sources), np.bool_)
        if len(held_out) < len(sources):
            learnt[held_out] = False
        return learnt


def _counted(data: DataConfig, chosen: NDArray[np.bool_]) -> Counted:
    """Counts the first chosen pairs for the statistics, for which the text is read again until there are enough."""
    counted, start = Counted(), 0
    enough = int(np.searchsorted(np.cumsum(chosen), LOOKED_AT)) + 1
    for some in _parts(data):
        if start >= enough:
            break
        counted.add([pair for pair, choice in zip(some, chosen[start:], strict=False) if choice])
        start += len(some)
    return counted


def _parts(data: DataConfig) -> Iterator[list[Pair]]:
    """All pairs of the training text, flawed ones too, some at a time."""
    return in_chunks(read_with_languages(data.train, data), _AT_A_TIME)


def _summary(counts: Counter[int]) -> dict[str, float]:
    """Mean, median, 99th percentile and maximum of texts' lengths. counts: a length → how many texts have it"""
    numbers = sorted(counts.elements()) or [0]
    return {
        "mean": round(statistics.fmean(numbers), 1),
        "median": statistics.median(numbers),
        "99 %": numbers[min(len(numbers) - 1, len(numbers) * 99 // 100)],
        "longest": numbers[-1],
    }
