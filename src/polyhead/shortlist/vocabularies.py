"""A vocabulary for each sentence of a batch: tokens of a search are numbers in it, not in the whole vocabulary.

Shapes: B sentences, L the longest list.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyhead.batch import padded
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.trace import Observer, Ranked, StepRecord
from polyhead.shortlist.shortlist import Tokens


@dataclass(frozen=True)
class Vocabularies:
    """Sentence b writes piece `tokens[b, i]` as i. Lists ascend, so that ties go to the same piece as without lists."""

    tokens: NDArray[np.int64]
    """[B, L], ids of the whole vocabulary, `<pad>` after a list's end."""
    lengths: NDArray[np.int64]
    """[B], how many pieces each list has."""

    @staticmethod
    def of(lists: Sequence[Tokens]) -> "Vocabularies":
        """The vocabularies of a batch; lists: each sentence's pieces, in ascending order."""
        return Vocabularies(padded(lists), np.array([len(each) for each in lists], np.int64))

    @cached_property
    def absent(self) -> NDArray[np.bool_]:
        """[B, L], True behind the end of a list."""
        return np.arange(self.tokens.shape[1]) >= self.lengths[:, None]

    def some(self, first: int, last: int) -> "Vocabularies":
        """The vocabularies of sentences first … last - 1."""
        lengths = self.lengths[first:last]
        return Vocabularies(self.tokens[first:last, : int(lengths.max())], lengths)

    def numbers(self, sentence: int, tokens: Sequence[int]) -> list[int]:
        """Ids of the whole vocabulary, which must be in the sentence's list → their numbers in that list."""
        own = self.tokens[sentence, : int(self.lengths[sentence])]
        return np.searchsorted(own, np.array(tokens, np.int64)).tolist()

    def written(self, sentence: int, hypothesis: Hypothesis) -> Hypothesis:
        """A hypothesis in numbers of the sentence's list → the hypothesis in ids of the whole vocabulary."""
        return replace(hypothesis, tokens=tuple(self.tokens[sentence, list(hypothesis.tokens)].tolist()))

    def shown(self, observer: Observer) -> Observer:
        """An observer of steps in the lists' numbers, which shows them to `observer` in ids of the whole vocabulary."""

        def translated(ranked: Ranked) -> Ranked:
            own = ranked.candidates
            return replace(ranked, candidates=own._replace(tokens=self.tokens[own.sentences, own.tokens]))

        def show(record: StepRecord) -> None:
            live, finished, pruned = map(translated, (record.live, record.finished, record.pruned))
            observer(StepRecord(record.step, live, finished, pruned))

        return show
