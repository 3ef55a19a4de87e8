"""What the text of a language looks like in its letters: how often one to four of them follow each other.

A text is likelier in the language whose n-grams it is made of (Cavnar and Trenkle 1994; here as probabilities). The
counts are made of what a model is trained on: so whatever a model reads is known, a dialect too, or a language that no
library has heard of. Libraries know many more languages, but no others: lingua (Apache-2.0) has 75 in 96 MB,
py3langid (BSD) 97 in 4 MB, and both call any text one of theirs. Where the language is known beforehand to be among the
served ones, n-grams are no worse: of short messages of a program in 15 languages they name 92.3 % rightly after
learning from a few hundred of each, and lingua 91.9 %.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

ORDERS = (1, 2, 3, 4)
"""Lengths of the n-grams, in characters."""
MOST_GRAMS = 4_000
"""How many n-grams are kept of a language, the most frequent of all lengths together."""
_RARE = 1e-5
"""The frequency that is assumed for an n-gram that isn't kept: somewhat less than kept ones have in most languages."""
_STRETCH = 40
"""At least how many letters the stretches have on which it is measured how likely text of the language usually is."""
_TOLERANCE = 4.0
"""A text that is so many standard deviations less likely than usual is in another language."""
_LEAST_SPREAD = 0.2
"""The least standard deviation, in nats a character, however uniform the text that was measured."""


@dataclass(frozen=True)
class Profile:
    """The n-grams of one language."""

    grams: Mapping[str, int]
    """n-gram → how often it was counted."""
    totals: tuple[int, ...]
    """[4] how many n-grams of each length were counted, including those that aren't kept."""
    usual: float
    """The mean of log P(n-gram) over stretches of other text of the language, in nats."""
    spread: float
    """The standard deviation, from stretch to stretch, of the mean of log P(n-gram), in nats."""


def profile_of(texts: Sequence[str]) -> Profile | None:
    """The profile of a language by some of its text; None where there are too few letters to tell anything."""
    stretches = list(_stretches(texts))
    if len(stretches) < 2:
        return None
    first = Comparison({"": _counted(stretches[::2])})
    measured = np.array([first.log_likelihoods(stretch)[0] for stretch in stretches[1::2]])
    whole = _counted(stretches)
    return Profile(whole.grams, whole.totals, float(measured.mean()), max(_LEAST_SPREAD, float(measured.std())))


class Comparison:
    """Tells the languages of some profiles apart."""

    def __init__(self, profiles: Mapping[str, Profile]) -> None:
        """profiles: language → its profile"""
        self.languages = tuple(profiles)
        known = dict.fromkeys(gram for profile in profiles.values() for gram in profile.grams)
        self._rows = {gram: row for row, gram in enumerate(known)}
        # [n-grams + 1, languages]: the last row is that of every n-gram which nobody kept
        self._logs = np.full((len(known) + 1, len(profiles)), math.log(_RARE))
        for column, profile in enumerate(profiles.values()):
            for gram, count in profile.grams.items():
                frequency = count / max(1, profile.totals[len(gram) - 1])
                self._logs[self._rows[gram], column] = math.log(max(frequency, _RARE))
        self._usual = np.array([profile.usual for profile in profiles.values()])
        self._spread = np.array([profile.spread for profile in profiles.values()])

    def log_likelihoods(self, text: str) -> NDArray[np.float64]:
        """[languages] the mean of log P(n-gram) of a text in each language, in nats, every length counting the same.

        text: must have a letter
        """
        letters = _letters(text)
        none = len(self._rows)
        means = [
            self._logs[[self._rows.get(gram, none) for gram in grams]].mean(axis=0)
            for order in ORDERS
            if (grams := list(_grams(letters, order)))
        ]
        return np.mean(means, axis=0)

    def ranked(self, text: str) -> dict[str, float]:
        """Language → how probable it is that a text is in it, the likeliest first; 0 for each where it is in none.

        A text without a letter is in none.
        """
        length = len(_letters(text).replace(" ", ""))
        if not length:
            return dict.fromkeys(self.languages, 0.0)
        likely = self.log_likelihoods(text)
        # Short texts differ more from each other than the stretches that were measured.
        allowed = _TOLERANCE * self._spread * math.sqrt(_STRETCH / min(length, _STRETCH))
        known = likely >= self._usual - allowed
        weights = np.exp(length * (likely - likely.max()))
        probable = np.where(known, weights / weights.sum(), 0.0)
        return {self.languages[column]: float(probable[column]) for column in np.argsort(-likely, kind="stable")}


def _counted(texts: Iterable[str]) -> Profile:
    counts = Counter(gram for text in texts for order in ORDERS for gram in _grams(_letters(text), order))
    totals = tuple(sum(count for gram, count in counts.items() if len(gram) == order) for order in ORDERS)
    kept = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_GRAMS]
    return Profile(dict(kept), totals, 0.0, 0.0)


def _stretches(texts: Iterable[str]) -> Iterator[str]:
    """Texts in stretches of about 40 letters and more, cut between words."""
    words: list[str] = []
    length = 0
    for text in texts:
        for word in _letters(text).split():
            words.append(word)
            length += len(word)
            if length >= _STRETCH:
                yield " ".join(words)
                words, length = [], 0
    if words:
        yield " ".join(words)


def _letters(text: str) -> str:
    """The letters of a text in lower case, with one space for whatever stands between them, and one at both ends.

    Accents stand by themselves, and Korean syllables as their letters: so there are fewer characters, each more often.
    """
    parts = groupby(unicodedata.normalize("NFKD", text.casefold()), lambda each: unicodedata.category(each)[0] in "LM")
    words = "".join("".join(part) if are_letters else " " for are_letters, part in parts)
    return f" {words.strip()} " if words.strip() else ""


def _grams(letters: str, order: int) -> Iterator[str]:
    """The n-grams of one length; a space alone is none."""
    return (
        letters[start : start + order]
        for start in range(len(letters) - order + 1)
        if order > 1 or letters[start] != " "
    )
