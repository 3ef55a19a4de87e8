"""Subword regularisation: random segmentations that are the same for the same seed, in every process.

sentencepiece can sample too, but its generator cannot be seeded so that two processes draw the same. Pieces never
reach over a space, so a text is sampled word by word.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Protocol

_WORD = re.compile("▁[^▁]*")
_REMEMBERED_WORDS = 100_000

Arcs = list[tuple[list[int], list[float]]]
"""For each end of a word: where the pieces that end there start, and the weights by which they are drawn."""


class Sampler(Protocol):
    """Draws segmentations of text into the pieces of a vocabulary."""

    @property
    def scores(self) -> Mapping[str, float]:
        """Piece → log P, or minus the rank of a BPE merge; a character without a score is spelled in bytes."""
        ...

    def sample(self, text: str, random: Random) -> list[str]:
        """The pieces of one segmentation, spaces written "▁"."""
        ...


class MergeDropout:
    """BPE dropout (Provilkov et al. 2020, algorithm 1): each possible merge is passed over now and then."""

    def __init__(self, scores: Mapping[str, float], dropout: float) -> None:
        """dropout: between 0 and 1, and neither."""
        self.scores = scores
        self.dropout = dropout
        self._log_kept = math.log1p(-dropout)
        self._whole = lru_cache(_REMEMBERED_WORDS)(self._undisturbed)

    def sample(self, text: str, random: Random) -> list[str]:
        """The pieces of one segmentation."""
        return [piece for word in _words(text) for piece in self._merged(word, random)]

    def _merged(self, word: str, random: Random) -> Sequence[str]:
        """Most words meet their first dropout late or never: one draw says when, and up to there all is known."""
        merges, pieces = self._whole(word)
        kept = math.log(1.0 - random.random()) / self._log_kept
        if kept >= len(merges):
            return pieces
        symbols = list(word)
        for place in merges[: int(kept)]:
            symbols[place : place + 2] = [symbols[place] + symbols[place + 1]]
        return self._disturbed(symbols, merges[int(kept)], random)

    def _disturbed(self, symbols: list[str], passed_over: int, random: Random) -> list[str]:
        """Merges on, but first without the merge at the place `passed_over`."""
        while True:
            best, place = -math.inf, -1
            for i in range(len(symbols) - 1):
                score = self.scores.get(symbols[i] + symbols[i + 1])
                if score is not None and score > best and i != passed_over and random.random() >= self.dropout:
                    best, place = score, i
            if place < 0:
                return symbols
            symbols[place : place + 2] = [symbols[place] + symbols[place + 1]]
            passed_over = -1

    def _undisturbed(self, word: str) -> tuple[list[int], list[str]]:
        """The places of all merges of a word, in order, when none is passed over; and the pieces that it ends in."""
        symbols, merges = list(word), list[int]()
        while True:
            pairs = [self.scores.get(left + right, -math.inf) for left, right in pairwise(symbols)]
            best = max(pairs, default=-math.inf)
            if best == -math.inf:
                return merges, symbols
            merges.append(place := pairs.index(best))
            symbols[place : place + 2] = [symbols[place] + symbols[place + 1]]


class Lattice:
    """All segmentations, each with probability ∝ P(segmentation)^sharpness (Kudo 2018, section 3.3, l = ∞)."""

    def __init__(self, scores: Mapping[str, float], sharpness: float) -> None:
        self.scores = scores
        self.sharpness = sharpness
        self._longest = max(map(len, scores), default=1)
        self._unknown = min(scores.values(), default=0.0) - 10.0  # a character without a piece, as in sentencepiece
        self._arcs = lru_cache(_REMEMBERED_WORDS)(self._forward)

    def sample(self, text: str, random: Random) -> list[str]:
        """The pieces of one segmentation."""
        return [piece for word in _words(text) for piece in self._backward(word, random)]

    def _forward(self, word: str) -> Arcs:
        """Sums over the segmentations of each beginning of a word, kept as the weights of their last pieces."""
        sums = [0.0] + [-math.inf] * len(word)
        arcs: Arcs = [([], [])]
        for end in range(1, len(word) + 1):
            starts: list[int] = []
            logs: list[float] = []
            for start in range(max(0, end - self._longest), end):
                score = self.scores.get(word[start:end], self._unknown if start == end - 1 else None)
                if score is not None:
                    starts.append(start)
                    logs.append(sums[start] + self.sharpness * score)
            top = max(logs)
            weights = [math.exp(log - top) for log in logs]
            sums[end] = top + math.log(sum(weights))
            arcs.append((starts, weights))
        return arcs

    def _backward(self, word: str, random: Random) -> list[str]:
        """Draws the last piece, then the one before it, and so on."""
        arcs, end = self._arcs(word), len(word)
        pieces: list[str] = []
        while end:
            start = random.choices(*arcs[end])[0]
            pieces.append(word[start:end])
            end = start
        return pieces[::-1]


def _words(text: str) -> Iterator[str]:
    """The words of a text, each with the mark of the space before it; nothing for no text."""
    if text:
        for match in _WORD.finditer("▁" + text.replace(" ", "▁")):
            yield match.group()
