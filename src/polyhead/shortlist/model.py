"""A model that writes each sentence in that sentence's own vocabulary.

Shapes: B sentences, S source length, R rows, L the longest list, D d_model, V target vocabulary.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, runtime_checkable

import numpy as np

from polyhead.decoding.rules import NEVER
from polyhead.decoding.searchable import Booleans, Numbers, S, Searchable, Values, in_memory
from polyhead.shortlist.groups import Group, Members, cut
from polyhead.shortlist.vocabularies import Vocabularies


@runtime_checkable
class ByRows(Protocol):
    """An engine whose output layer can be had for some tokens alone."""

    def features(self, previous: Numbers, state: Any) -> tuple[Values, Any]:
        """A step up to the output layer: previous [R] → the decoder's last layer [R, D], the next state."""
        ...

    def output_rows(self, tokens: Numbers) -> Callable[[Values], Values]:
        """tokens [U] → features [R, D] ↦ logits [R, U]."""
        ...


@dataclass(frozen=True)
class OwnState(Generic[S]):
    """The model's state, and the sentence and the group that each of its rows belongs to."""

    inner: S
    sentences: Numbers
    """[R], the sentence of the batch that each row translates."""
    groups: tuple[Group, ...]
    members: tuple[Members, ...]
    """The rows of each group."""

    @staticmethod
    def of(inner: S, sentences: Numbers, groups: tuple[Group, ...]) -> "OwnState[S]":
        """The state with its rows sorted into their groups."""
        return OwnState(inner, sentences, groups, tuple(group.members(sentences) for group in groups))

    def select(self, rows: Numbers) -> "OwnState[S]":
        """rows [R'] → the state of those rows."""
        inner, sentences = self.inner.select(rows), self.sentences.take(rows)
        if np.array_equal(sentences, self.sentences):
            return replace(self, inner=inner)
        return OwnState.of(inner, sentences, self.groups)


class OwnVocabularies(Generic[S]):
    """A `Searchable` for one batch, in which tokens are numbers in their own sentence's list.

    Each row gets the logits of its own sentence's pieces alone: what a sentence may be translated with doesn't depend
    on its companions. A prepared engine computes the logits that a group of sentences needs; any other model, all.
    """

    def __init__(self, model: Searchable[Any], vocabularies: Vocabularies) -> None:
        self.model = model
        self.vocabularies = vocabularies
        self.advance: Callable[[Numbers, Any], tuple[Any, Any]] = model.step
        if isinstance(model, ByRows):
            self.advance = model.features
            self.groups = tuple(cut(vocabularies, model.output_rows))
        else:
            self.groups = (Group(0, in_memory, vocabularies.tokens, vocabularies.absent),)

    def encode(self, source: Numbers, source_mask: Booleans) -> Any:
        """source [B, S], source_mask [B, S] of the sentences of the lists → the model's own memory."""
        return self.model.encode(source, source_mask)

    def start(self, memory: Any) -> OwnState[S]:
        """The state before the first token: a row for every sentence, in order."""
        return OwnState.of(self.model.start(memory), np.arange(len(self.vocabularies.tokens)), self.groups)

    def step(self, previous: Numbers, state: OwnState[S]) -> tuple[Values, OwnState[S]]:
        """previous [R], numbers in the rows' own lists → logits [R, L], -inf after a list's end; the next state."""
        given, inner = self.advance(self.vocabularies.tokens[state.sentences, previous], state.inner)
        logits = np.full((len(previous), self.vocabularies.tokens.shape[1]), NEVER, np.float32)
        for members in state.members:
            members.write(given, logits)
        return logits, replace(state, inner=inner)
