"""A vocabulary for each sentence of a batch: the search runs in its numbers, not in the whole vocabulary's.

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
    """Sentence b writes piece `tokens[b, i]` as i. All lists ascend, so that ties between pieces go as ever."""

    tokens: NDArray[np.int64]
    """[B, L], ids of the whole vocabulary, `<pad>` after a list's end."""
    lengths: NDArray[np.int64]
    """[B], the pieces of each list."""

    @staticmethod
    def of(lists: Sequence[Tokens]) -> "Vocabularies":
        """lists: each sentence's pieces, in ascending order."""
        return Vocabularies(padded(lists), np.array([len(each) for each in lists], np.int64))

    @cached_property
    def absent(self) -> NDArray[np.bool_]:
        """[B, L], what is no piece: the list has ended."""
        return np.arange(self.tokens.shape[1]) >= self.lengths[:, None]

    def some(self, first: int, last: int) -> "Vocabularies":
        """Those of sentences first … last - 1."""
        lengths = self.lengths[first:last]
        return Vocabularies(self.tokens[first:last, : int(lengths.max())], lengths)

    def numbers(self, sentence: int, tokens: Sequence[int]) -> list[int]:
        """Ids of the whole vocabulary, which must be in the list → the sentence's own."""
        own = self.tokens[sentence, : int(self.lengths[sentence])]
        return np.searchsorted(own, np.array(tokens, np.int64)).tolist()

    def written(self, sentence: int, hypothesis: Hypothesis) -> Hypothesis:
        """A hypothesis in the sentence's own numbers → in the whole vocabulary's."""
        return replace(hypothesis, tokens=tuple(self.tokens[sentence, list(hypothesis.tokens)].tolist()))

    def shown(self, observer: Observer) -> Observer:
        """What shows an observer each step in the whole vocabulary's numbers."""

        def translated(ranked: Ranked) -> Ranked:
            own = ranked.candidates
            return replace(ranked, candidates=own._replace(tokens=self.tokens[own.sentences, own.tokens]))

        def show(record: StepRecord) -> None:
            live, finished, pruned = map(translated, (record.live, record.finished, record.pruned))
            observer(StepRecord(record.step, live, finished, pruned))

        return show
