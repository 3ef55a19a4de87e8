"""A shortlist in the whole vocabulary's numbers, for code that searches with the model itself, as `inspection` does.

It finds what `ShortlistSearch` finds, but saves no work. Shapes: B sentences, S source length, R rows, V vocabulary.
"""

from dataclasses import dataclass, replace
from typing import Any, Generic

import numpy as np

from polyhead.decoding.rules import NEVER
from polyhead.decoding.searchable import Booleans, Numbers, S, Searchable, Values, in_memory
from polyhead.shortlist.by_language import AnyShortlist


@dataclass(frozen=True)
class MaskedMemory:
    """The model's memory, and which pieces may not be written."""

    inner: Any
    outside: Booleans
    """[B, V], True outside a sentence's list."""


@dataclass(frozen=True)
class MaskedState(Generic[S]):
    """The model's state, and which pieces may not be written: outside [R, V], True outside a row's list."""

    inner: S
    outside: Booleans

    def select(self, rows: Numbers) -> "MaskedState[S]":
        """rows [R'] → the state of those rows."""
        return MaskedState(self.inner.select(rows), self.outside.take(rows, axis=0))


class Masked(Generic[S]):
    """A `Searchable` whose logits are -inf outside each sentence's list."""

    def __init__(self, model: Searchable[S], shortlist: AnyShortlist) -> None:
        self.model = model
        self.shortlist = shortlist

    def encode(self, source: Numbers, source_mask: Booleans) -> MaskedMemory:
        """source [B, S], source_mask [B, S] → the model's memory and the sentences' lists."""
        outside = np.ones((len(source), self.shortlist.target_vocabulary), np.bool_)
        for sentence, (row, mask) in enumerate(zip(source, source_mask, strict=True)):
            outside[sentence, self.shortlist.of(row[mask].tolist())] = False
        return MaskedMemory(self.model.encode(source, source_mask), outside)

    def start(self, memory: Any) -> MaskedState[S]:
        """The state before the first token. Raises TypeError for a memory that was made without a shortlist."""
        if not isinstance(memory, MaskedMemory):
            raise TypeError("this memory was made without a shortlist; encode the source with this model")
        return MaskedState(self.model.start(memory.inner), memory.outside)

    def step(self, previous: Numbers, state: MaskedState[S]) -> tuple[Values, MaskedState[S]]:
        """previous [R] → logits [R, V], -inf outside the row's list; the next state."""
        logits, inner = self.model.step(previous, state.inner)
        possible = in_memory(logits)
        possible[state.outside] = NEVER
        return possible, replace(state, inner=inner)
