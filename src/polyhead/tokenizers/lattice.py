"""The segmentations of a unigram model, drawn as often as they are probable."""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from random import Random

from polyhead.tokenizers.sampling import Inventory, marked

_WORD = re.compile("▁[^▁]*")
_REMEMBERED_WORDS = 100_000

Arcs = list[tuple[list[int], list[float]]]
"""For each place in a word: where the pieces that end there start, and the weights by which they are drawn."""


class Lattice:
    """All segmentations of texts, each with probability ∝ P(segmentation)^sharpness (Kudo 2018, section 3.3, l = ∞)."""

    def __init__(self, inventory: Inventory, sharpness: float) -> None:
        self.inventory = inventory
        self.sharpness = sharpness
        scores = inventory.scores
        self._longest = max(map(len, scores), default=1)
        self._unknown = min(scores.values(), default=0.0) - 10.0  # a character without a piece, as in sentencepiece
        self._arcs = lru_cache(_REMEMBERED_WORDS)(self._forward)

    def sample(self, texts: Sequence[str], seed: int) -> list[list[int]]:
        """The ids of one segmentation of each text."""
        random = Random(seed)
        return [self._drawn(text, random) for text in texts]

    def _drawn(self, text: str, random: Random) -> list[int]:
        words = _WORD.findall(marked(text))
        return [i for word in words for piece in self._backward(word, random) for i in self.inventory.spelled(piece)]

    def _forward(self, word: str) -> Arcs:
        """Sums over the segmentations of each prefix of a word, kept as the weights of their last pieces."""
        sums = [0.0] + [-math.inf] * len(word)
        arcs: Arcs = [([], [])]
        for end in range(1, len(word) + 1):
            starts: list[int] = []
            logs: list[float] = []
            for start in range(max(0, end - self._longest), end):
                score = self.inventory.scores.get(word[start:end], self._unknown if start == end - 1 else None)
                if score is not None:
                    starts.append(start)
                    logs.append(sums[start] + self.sharpness * score)
            top = max(logs)
            weights = [math.exp(log - top) for log in logs]
            sums[end] = top + math.log(sum(weights))
            arcs.append((starts, weights))
        return arcs

    def _backward(self, word: str, random: Random) -> list[str]:
        """The pieces of a word: the last one is drawn first, then the one before it, and so on."""
        arcs, end = self._arcs(word), len(word)
        pieces: list[str] = []
        while end:
            start = random.choices(*arcs[end])[0]
            pieces.append(word[start:end])
            end = start
        return pieces[::-1]
