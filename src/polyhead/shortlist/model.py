"""A model that writes each sentence in that sentence's own vocabulary.

Shapes: B sentences, S source length, R rows, L the longest list, D d_model, V target vocabulary.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic

import torch
from torch import Tensor

from polyhead.decoding.rules import NEVER
from polyhead.engine.fused import FusedTransformer
from polyhead.engine.transformer import PreparedTransformer
from polyhead.model.seq2seq import S, Seq2Seq
from polyhead.model.state import Memory
from polyhead.shortlist.groups import Group, Members, cut
from polyhead.shortlist.vocabularies import Vocabularies


@dataclass(frozen=True)
class OwnState(Generic[S]):
    """The model's state, and whose rows they are."""

    inner: S
    sentences: Tensor
    """[R] int64, the sentence of the batch that each row translates."""
    groups: tuple[Group, ...]
    members: tuple[Members, ...]
    """The rows of each group."""

    @staticmethod
    def of(inner: S, sentences: Tensor, groups: tuple[Group, ...]) -> "OwnState[S]":
        """The rows sorted into their groups."""
        return OwnState(inner, sentences, groups, tuple(group.members(sentences) for group in groups))

    def select(self, rows: Tensor) -> "OwnState[S]":
        """rows [R'] int64 → the state of those rows."""
        inner, sentences = self.inner.select(rows), self.sentences.index_select(0, rows)
        if torch.equal(sentences, self.sentences):
            return replace(self, inner=inner)
        return OwnState.of(inner, sentences, self.groups)


class OwnVocabularies(Generic[S]):
    """A `Seq2Seq` for one batch: it reads and writes each sentence's own numbers.

    Each row gets the logits of its own sentence's pieces alone: what a sentence may be translated with doesn't depend
    on its companions. A prepared Transformer computes those that a group of sentences needs; any other model all.
    """

    def __init__(self, model: Seq2Seq[Any], vocabularies: Vocabularies) -> None:
        self.model = model
        self.vocabularies = vocabularies
        self.advance: Callable[[Tensor, Any], tuple[Tensor, Any]] = model.step
        if isinstance(model, PreparedTransformer | FusedTransformer):
            self.advance = model.features
            self.groups = tuple(cut(vocabularies, model.output_rows))
        else:
            self.groups = (Group(0, lambda logits: logits, vocabularies.tokens, vocabularies.absent),)

    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        """source [B, S] int64, source_mask [B, S] bool → the model's own memory, of the sentences of the lists."""
        return self.model.encode(source, source_mask)

    def start(self, memory: Memory) -> OwnState[S]:
        """A row for every sentence, in order."""
        return OwnState.of(self.model.start(memory), torch.arange(len(self.vocabularies.tokens)), self.groups)

    def step(self, previous: Tensor, state: OwnState[S]) -> tuple[Tensor, OwnState[S]]:
        """previous [R] int64, numbers of the rows' own → logits [R, L], -inf after a list's end; the next state."""
        given, inner = self.advance(self.vocabularies.tokens[state.sentences, previous], state.inner)
        logits = torch.full((len(previous), self.vocabularies.tokens.size(1)), NEVER)
        for members in state.members:
            members.write(given, logits)
        return logits, replace(state, inner=inner)
