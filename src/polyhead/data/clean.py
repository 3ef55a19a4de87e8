"""Leaving out pairs that teach nothing or teach wrong, and saying which and why."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import Field

from polyhead.config import Config
from polyhead.corpora.unit import Flaw
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
_LIMITS: Mapping[Reason, str] = {
    "too many words": "max_words",
    "too many characters": "max_characters",
    "lengths do not match": "max_ratio",
}
"""The setting that decides, for the reasons that have a number of one."""

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
    """The limit that it was above, by its name in a recipe; empty where there is no number."""


@dataclass(frozen=True)
class CleaningReport:
    """What cleaning did."""

    read: int
    kept: int
    dropped: tuple[Dropped, ...]
    repeated: int = 0
    """How many of those kept came before."""

    def __str__(self) -> str:
        rows = [("pairs read", self.read, "")]
        rows += [(f"  {drop.reason}", drop.count, _first(drop)) for drop in self.dropped]
        again = f"of which {self.repeated:,} came before" if self.repeated else ""
        rows += [("pairs kept", self.kept, again)]
        width = max(len(label) for label, _, _ in rows)
        digits = max(len(f"{count:,}") for _, count, _ in rows)
        return "\n".join(f"{label:<{width}}  {count:>{digits},}  {note}".rstrip() for label, count, note in rows)


def clean(pairs: Iterable[Pair], config: CleaningConfig) -> tuple[list[Pair], CleaningReport]:
    """The pairs that may stay, in order, and the account of the others. Texts stay as they are."""
    everything = list(pairs)
    rows, report = rows_to_keep(everything, config)
    return [everything[row] for row in rows], report


def rows_to_keep(pairs: Sequence[Pair], config: CleaningConfig) -> tuple[list[int], CleaningReport]:
    """The rows of the pairs that may stay, in rising order, and the account of the others."""
    usual = _usual_ratios(pairs) if config.max_ratio else {}
    kept: list[int] = []
    counts: dict[Reason, int] = {}
    examples: dict[Reason, str] = {}
    seen: set[tuple[str, str, str | None]] = set()
    repeated = 0
    for row, pair in enumerate(pairs):
        reason = _reason(pair, config, usual.get(pair.target_language, 1.0))
        key = (pair.source, pair.target, pair.target_language)
        if reason is None and config.drop_duplicates and key in seen:
            reason = "duplicate"
        if reason is None:
            repeated += key in seen
            seen.add(key)
            kept.append(row)
        else:
            counts[reason] = counts.get(reason, 0) + 1
            examples.setdefault(reason, pair.origin)
    order: tuple[Reason, ...] = get_args(Reason)
    found: list[Reason] = [reason for reason in order if reason in counts]
    dropped = tuple(Dropped(each, counts[each], examples[each], _setting(each, config)) for each in found)
    return kept, CleaningReport(len(pairs), len(kept), dropped, repeated)


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
    if config.max_ratio and abs(math.log(_ratio(pair) / usual)) > math.log(config.max_ratio):
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


def _ratio(pair: Pair) -> float:
    return (len(pair.target) + _RATIO_SMOOTHING) / (len(pair.source) + _RATIO_SMOOTHING)


def _usual_ratios(pairs: Sequence[Pair]) -> dict[str | None, float]:
    """For each target language the median of target length by source length.

    Languages differ: Korean takes half the characters of English, Chinese a third. The median takes no notice of
    the few pairs that do not match.
    """
    ratios: dict[str | None, list[float]] = {}
    for pair in usable(pairs):
        ratios.setdefault(pair.target_language, []).append(_ratio(pair))
    return {language: sorted(some)[len(some) // 2] for language, some in ratios.items()}
