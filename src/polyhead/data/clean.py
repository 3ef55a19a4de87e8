"""Leaving out pairs that teach nothing or teach wrong, and saying which and why."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from polyhead.config import Config
from polyhead.corpora.unit import Flaw
from polyhead.data.digests import Digests, digests_of_pairs, which_repeat
from polyhead.data.readers.pair import Pair, usable
from polyhead.limits import MOST_COUNTED
from polyhead.text import is_blank

Reason = Literal[
    Flaw,
    "empty",
    "same on both sides",
    "too many words",
    "too many characters",
    "lengths do not match",
    "duplicate",
]
REASONS: tuple[Reason, ...] = get_args(Reason)
Verdicts = NDArray[np.uint8]
STAYS = 0
"""The verdict on a pair against which nothing speaks; any other verdict is 1 + the place of a reason in `REASONS`."""
_LIMITS: Mapping[Reason, str] = {
    "too many words": "max_words",
    "too many characters": "max_characters",
    "lengths do not match": "max_ratio",
}
"""For each reason that a limit leads to, the name of the setting that has the limit."""

# Added to both lengths before they are compared: "OK." may well be a sentence in another language.
_RATIO_SMOOTHING = 20


class CleaningConfig(Config):
    """Which pairs to leave out. The defaults leave out what can hardly be a translation."""

    drop_empty: bool = True
    """Leave out pairs with nothing to be seen on one side: empty, white space, control characters."""
    drop_untranslated: bool = False
    """Leave out pairs whose sides are the same text."""
    max_words: int | None = Field(default=250, ge=1, le=MOST_COUNTED)
    """The longest side, in words between white space; None: no limit."""
    max_characters: int | None = Field(default=2000, ge=1, le=MOST_COUNTED)
    """The longest side, in characters; what limits languages written without spaces."""
    max_ratio: float | None = Field(default=5.0, gt=1.0, le=MOST_COUNTED)
    """How many times longer or shorter than usual in this corpus a target may be for its source; None: no limit."""
    drop_duplicates: bool = False
    """Leave out pairs that came before, both sides being the same. How often a sentence is said is worth knowing for a
    translator, but in text gathered from the web what comes again is mostly menus and notices."""


@dataclass(frozen=True)
class Dropped:
    """How many pairs were left out for one reason, and where the first of them stands."""

    reason: Reason
    count: int
    example: str
    setting: str = ""
    """The limit that the pairs were above, by its name in a recipe and its value; empty for reasons without a limit."""


@dataclass(frozen=True)
class CleaningReport:
    """What cleaning did."""

    read: int
    kept: int
    dropped: tuple[Dropped, ...]
    repeated: int = 0
    """How many of the pairs kept are the same as a pair before them."""

    def __str__(self) -> str:
        rows = [("pairs read", self.read, "")]
        rows += [(f"  {drop.reason}", drop.count, _first(drop)) for drop in self.dropped]
        again = f"of which {self.repeated:,} came before" if self.repeated else ""
        rows += [("pairs kept", self.kept, again)]
        width = max(len(label) for label, _, _ in rows)
        digits = max(len(f"{count:,}") for _, count, _ in rows)
        return "\n".join(f"{label:<{width}}  {count:>{digits},}  {note}".rstrip() for label, count, note in rows)


def clean(pairs: Iterable[Pair], config: CleaningConfig) -> tuple[list[Pair], CleaningReport]:
    """The pairs that may stay, in order, and a report on all pairs. Texts stay as they are."""
    everything = list(pairs)
    rows, report = rows_to_keep(everything, config)
    return [everything[row] for row in rows], report


def rows_to_keep(pairs: Sequence[Pair], config: CleaningConfig) -> tuple[list[int], CleaningReport]:
    """The rows of the pairs that may stay, in rising order, and a report on all pairs."""
    verdicts = judge(pairs, usual_ratios(count_lengths(pairs)), config)
    stay, report = settle(verdicts, digests_of_pairs(pairs), config, lambda row: pairs[row].origin)
    return np.flatnonzero(stay).tolist(), report


Lengths = tuple[str | None, int, int]
"""A target language, and the characters of a source and of its target."""


def count_lengths(pairs: Iterable[Pair]) -> Counter[Lengths]:
    """How often each combination of lengths comes. Millions of sentences have some ten thousand combinations."""
    return Counter((pair.target_language, len(pair.source), len(pair.target)) for pair in usable(pairs))


def usual_ratios(counts: Mapping[Lengths, int]) -> dict[str | None, float]:
    """For each target language the median of target length by source length.

    Languages differ: Korean takes half the characters of English, Chinese a third. The median takes no notice of
    the few pairs that do not match.
    """
    ratios: dict[str | None, Counter[float]] = {}
    for (language, source, target), count in counts.items():
        ratios.setdefault(language, Counter())[_ratio(source, target)] += count
    return {language: _median(some) for language, some in ratios.items()}


def judge(pairs: Sequence[Pair], usual: Mapping[str | None, float], config: CleaningConfig) -> Verdicts:
    """[N] what speaks against each pair by itself: `STAYS`, or 1 + the number of a reason.

    usual: `usual_ratios` of the whole corpus
    """
    reasons = (_reason(pair, config, usual.get(pair.target_language, 1.0)) for pair in pairs)
    return np.fromiter((STAYS if each is None else 1 + REASONS.index(each) for each in reasons), np.uint8, len(pairs))


def settle(
    verdicts: Verdicts, digests: Digests, config: CleaningConfig, origin: Callable[[int], str]
) -> tuple[NDArray[np.bool_], CleaningReport]:
    """[N] which pairs may stay once repeated pairs are known, and a report on all pairs.

    verdicts: [N] of `judge`; digests: [N] of `digests_of_pairs`; origin: where the pair of a row stands
    """
    stay = verdicts == STAYS
    again = which_repeat(digests, stay)
    if config.drop_duplicates:
        verdicts = np.where(again, np.uint8(1 + REASONS.index("duplicate")), verdicts)
        stay, again = verdicts == STAYS, again[:0]
    dropped: list[Dropped] = []
    for number, reason in enumerate(REASONS, start=1):
        rows = verdicts == number
        if rows.any():
            dropped.append(Dropped(reason, int(rows.sum()), origin(int(rows.argmax())), _setting(reason, config)))
    return stay, CleaningReport(len(verdicts), int(stay.sum()), tuple(dropped), int(again.sum()))


def _reason(pair: Pair, config: CleaningConfig, usual: float) -> Reason | None:
    """Why a pair by itself cannot stay, if so."""
    if pair.flaw is not None:
        return pair.flaw
    if config.drop_empty and (is_blank(pair.source) or is_blank(pair.target)):
        return "empty"
    if config.drop_untranslated and pair.source == pair.target:
        return "same on both sides"
    sides = pair.source, pair.target
    if config.max_characters is not None and max(map(len, sides)) > config.max_characters:
        return "too many characters"
    if config.max_words is not None and any(_has_more_words(side, config.max_words) for side in sides):
        return "too many words"
    if config.max_ratio and abs(math.log(_ratio(*map(len, sides)) / usual)) > math.log(config.max_ratio):
        return "lengths do not match"
    return None


def _has_more_words(text: str, most: int) -> bool:
    # n words take at least 2n - 1 characters: short texts need no counting.
    return len(text) >= 2 * most and len(text.split()) > most


def _setting(reason: Reason, config: CleaningConfig) -> str:
    name = _LIMITS.get(reason)
    return "" if name is None else f"data.cleaning.{name} = {getattr(config, name):g}"


def _first(drop: Dropped) -> str:
    above = f", above {drop.setting}" if drop.setting else ""
    return f"first at {drop.example}{above}"


def _ratio(source: int, target: int) -> float:
    """How long a target is for its source, by their characters."""
    return (target + _RATIO_SMOOTHING) / (source + _RATIO_SMOOTHING)


def _median(counts: Counter[float]) -> float:
    """The upper median of numbers that are counted."""
    middle, seen = counts.total() // 2, 0
    for number in sorted(counts):
        seen += counts[number]
        if seen > middle:
            return number
    return 1.0
