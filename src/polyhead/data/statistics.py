"""What a corpus is like, as far as the settings of a training follow from it."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import add

import numpy as np
from numpy.typing import NDArray

from polyhead.data.readers.pair import Pair
from polyhead.sentences import sentences

LARGE = 2_000_000
"""Sentence pairs above which a corpus isn't looked at, or shuffled, as a whole."""
LOOKED_AT = 200_000
"""Pairs from which words and characters are counted; of a larger corpus these are enough."""
SENTENCES_LOOKED_AT = 20_000
"""How many texts, about, have their sentences counted."""
WIDE = 3
"""How much of a token a Chinese character, a kana or a Korean syllable is, compared with a letter."""
LETTERS_A_TOKEN = 4.5
"""Letters, spaces among them, that a subword stands for on average."""
_CHINESE_OR_JAPANESE = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
"""Chinese characters and kana, which follow each other without spaces between words. Other than `text.UNSPACED` it has
no punctuation, and no scripts of so few letters that most pairs of them come in any text."""


@dataclass(frozen=True)
class CorpusStatistics:
    """Counts of a training corpus, both sides together where nothing else is said."""

    pairs: int
    word_types: int
    """Different words in the first 200,000 pairs, in lower case and without the punctuation around them. Of Chinese
    and Japanese there are about as many as different pairs of neighbouring characters that come more than once."""
    characters: int
    """Different characters in the first 200,000 pairs."""
    source_tokens: int
    """About how many subwords the source side has."""
    target_tokens: int
    """About how many subwords the target side has."""
    read: int = 0
    """Pairs of the corpus, whatever their weights."""

    @property
    def tokens(self) -> int:
        """About how many subwords there are."""
        return self.source_tokens + self.target_tokens

    @property
    def tokens_looked_at(self) -> float:
        """About how many subwords the pairs have whose words are counted."""
        return self.tokens * min(1.0, LOOKED_AT / max(1, self.pairs))

    @classmethod
    def of(cls, pairs: Sequence[Pair], weights: NDArray[np.float64] | None = None) -> "CorpusStatistics":
        """The statistics of `pairs`, each of which an epoch has as often as `weights` [N] says; None: once.

        With weights there is as much text as if so many pairs came equally often as Kish's effective sample size says,
        (Σ w)² / Σ w²: a large corpus that is seldom looked at counts for little more than what is read of it.
        """
        counted = Counted()
        counted.add(pairs[:LOOKED_AT])
        return counted.statistics(len(pairs), weights)


class Counted:
    """What is counted in the first pairs of a corpus, which are added in their order, some at a time, and not kept."""

    def __init__(self) -> None:
        self._pairs = self._source = self._target = 0
        self._words = set[str]()
        self._neighbours = Counter[str]()
        self._characters = set[str]()

    def add(self, pairs: Sequence[Pair]) -> None:
        """Counts the next pairs, if they are still among the first."""
        sample = pairs[: LOOKED_AT - self._pairs]
        sources, targets = [pair.source for pair in sample], [pair.target for pair in sample]
        self._pairs += len(sample)
        self._source += sum(map(_letters, sources))
        self._target += sum(map(_letters, targets))
        for texts in (sources, targets):
            self._characters.update(chain.from_iterable(texts))
            self._words.update(chain.from_iterable(map(_words, texts)))
            self._neighbours.update(chain.from_iterable(map(_neighbours, texts)))

    def statistics(self, read: int, weights: NDArray[np.float64] | None = None) -> CorpusStatistics:
        """What `CorpusStatistics.of` gives for a corpus of `read` pairs that begins with the pairs counted."""
        amount = read if weights is None else float(weights.sum() ** 2 / (weights**2).sum())
        scale = amount / max(1, self._pairs)
        return CorpusStatistics(
            pairs=round(amount),
            word_types=len({word.strip(_PUNCTUATION).lower() for word in self._words})
            + sum(count > 1 for count in self._neighbours.values()),
            characters=len(self._characters),
            source_tokens=round(scale * (self._source / LETTERS_A_TOKEN)),
            target_tokens=round(scale * (self._target / LETTERS_A_TOKEN)),
            read=read,
        )


def share_of_several(texts: Sequence[str], language: str | None) -> float:
    """Which share of the texts has more than one sentence, by some that stand at even distances; rounded to 0.01 %."""
    some = texts[:: max(1, len(texts) // SENTENCES_LOOKED_AT)]
    return round(sum(len(sentences(text, language)) > 1 for text in some) / max(1, len(some)), 4)


def evenly(pairs: Sequence[Pair], most: int) -> Sequence[Pair]:
    """All pairs, or of a large corpus some that stand at even distances: at least `most`, less than twice as many."""
    return pairs if len(pairs) <= LARGE else pairs[:: max(1, len(pairs) // most)]


_PUNCTUATION = "".join(character for character in map(chr, range(0x3100)) if unicodedata.category(character)[0] in "PS")


def _words(text: str) -> list[str]:
    """What stands between white space, but Chinese and Japanese."""
    return (text if text.isascii() else _CHINESE_OR_JAPANESE.sub(" ", text)).split()


def _neighbours(text: str) -> Iterator[str]:
    """The pairs of neighbouring characters of Chinese and Japanese."""
    runs = [] if text.isascii() else _CHINESE_OR_JAPANESE.findall(text)
    return chain.from_iterable(map(add, run, run[1:]) for run in runs)


def _letters(text: str) -> int:
    """How many letters a text has, the space behind it among them; a letter as wide as two counts `WIDE` times."""
    wide = 0 if text.isascii() else sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + 1 + (WIDE - 1) * wide
