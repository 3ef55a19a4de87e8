"""A shortlist in the whole vocabulary's numbers: for whoever searches with the model itself, as a look inside does.

It finds what `ShortlistSearch` finds, and saves nothing. Shapes: B sentences, S source length, R rows, V vocabulary.
"""

from dataclasses import dataclass, field, replace
from typing import Generic, cast

import torch
from torch import Tensor

from polyhead.decoding.rules import NEVER
from polyhead.model.seq2seq import S, Seq2Seq
from polyhead.model.state import Memory
from polyhead.shortlist.shortlist import Shortlist


@dataclass(frozen=True)
class MaskedMemory(Memory):
    """The model's memory, and what may not be written."""

    outside: Tensor = field(kw_only=True)
    """[B, V] bool, True outside a sentence's list."""

    def select(self, rows: Tensor) -> "MaskedMemory":
        """rows [R] int64 → the memory of those rows."""
        kept = super().select(rows)
        return MaskedMemory(kept.states, kept.mask, kept.summary, outside=self.outside[rows])


@dataclass(frozen=True)
class MaskedState(Generic[S]):
    """The model's state, and what may not be written: outside [R, V] bool."""

    inner: S
    outside: Tensor

    def select(self, rows: Tensor) -> "MaskedState[S]":
        """rows [R'] int64 → the state of those rows."""
        return MaskedState(self.inner.select(rows), self.outside.index_select(0, rows))


class Masked(Generic[S]):
    """A `Seq2Seq` whose logits are -inf outside each sentence's list."""

    def __init__(self, model: Seq2Seq[S], shortlist: Shortlist) -> None:
        self.model = model
        self.shortlist = shortlist

    def encode(self, source: Tensor, source_mask: Tensor) -> MaskedMemory:
        """source [B, S] int64, source_mask [B, S] bool → the model's memory and the sentences' lists."""
        memory = self.model.encode(source, source_mask)
        outside = torch.ones(len(source), self.shortlist.target_vocabulary, dtype=torch.bool)
        for sentence, (row, mask) in enumerate(zip(source, source_mask, strict=True)):
            outside[sentence, torch.from_numpy(self.shortlist.of(cast("list[int]", row[mask].tolist())))] = False
        return MaskedMemory(memory.states, memory.mask, memory.summary, outside=outside.to(source.device))

    def start(self, memory: Memory) -> MaskedState[S]:
        """Raises TypeError for a memory that was made without a shortlist."""
        if not isinstance(memory, MaskedMemory):
            raise TypeError("this memory was made without a shortlist; encode the source with this model")
        return MaskedState(self.model.start(memory), memory.outside)

    def step(self, previous: Tensor, state: MaskedState[S]) -> tuple[Tensor, MaskedState[S]]:
        """previous [R] int64 → logits [R, V], -inf outside the row's list; the next state."""
        logits, inner = self.model.step(previous, state.inner)
        return logits.masked_fill(state.outside, NEVER), replace(state, inner=inner)
