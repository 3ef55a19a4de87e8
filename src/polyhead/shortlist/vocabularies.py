"""A vocabulary for each sentence of a batch: the search runs in its numbers, not in the whole vocabulary's.

Shapes: B sentences, L the longest list.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import torch
from torch import Tensor

from polyhead.decoding.hypothesis import Hypothesis
from polyhead.decoding.trace import Observer, Ranked, StepRecord
from polyhead.shortlist.shortlist import Tokens
from polyhead.symbols import PAD


@dataclass(frozen=True)
class Vocabularies:
    """Sentence b writes piece `tokens[b, i]` as i. All lists ascend, so that ties between pieces go as ever."""

    tokens: Tensor
    """[B, L] int64, ids of the whole vocabulary, `<pad>` after a list's end."""
    lengths: Tensor
    """[B] int64, the pieces of each list."""

    @staticmethod
    def of(lists: Sequence[Tokens]) -> "Vocabularies":
        """lists: each sentence's pieces, in ascending order."""
        rows = [torch.from_numpy(each) for each in lists]
        tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)
        return Vocabularies(tokens, torch.tensor([len(each) for each in lists]))

    @cached_property
    def absent(self) -> Tensor:
        """[B, L] bool, what is no piece: the list has ended."""
        return torch.arange(self.tokens.size(1)) >= self.lengths[:, None]

    def some(self, first: int, last: int) -> "Vocabularies":
        """Those of sentences first … last - 1."""
        lengths = self.lengths[first:last]
        return Vocabularies(self.tokens[first:last, : int(lengths.max())], lengths)

    def numbers(self, sentence: int, tokens: Sequence[int]) -> list[int]:
        """Ids of the whole vocabulary, which must be in the list → the sentence's own."""
        own = self.tokens[sentence, : int(self.lengths[sentence])].contiguous()
        return cast("list[int]", torch.searchsorted(own, torch.tensor(tokens, dtype=torch.int64)).tolist())

    def written(self, sentence: int, hypothesis: Hypothesis) -> Hypothesis:
        """A hypothesis in the sentence's own numbers → in the whole vocabulary's."""
        tokens = cast("list[int]", self.tokens[sentence, list(hypothesis.tokens)].tolist())
        return replace(hypothesis, tokens=tuple(tokens))

    def shown(self, observer: Observer) -> Observer:
        """What shows an observer each step in the whole vocabulary's numbers."""

        def translated(ranked: Ranked) -> Ranked:
            own = ranked.candidates
            return replace(ranked, candidates=replace(own, tokens=self.tokens.numpy()[own.sentences, own.tokens]))

        def show(record: StepRecord) -> None:
            live, finished, pruned = map(translated, (record.live, record.finished, record.pruned))
            observer(StepRecord(record.step, live, finished, pruned))

        return show
