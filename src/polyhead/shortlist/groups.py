"""Sentences whose lists are multiplied with together.

One product for the whole batch would be with nearly the whole vocabulary, one for each sentence would read every weight
again and again.
Shapes: G sentences of the group, L the longest list of them, U pieces in any of their lists, R rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from polyhead.decoding.rules import NEVER
from polyhead.shortlist.vocabularies import Vocabularies

SENTENCES = 16
"""G. Larger groups multiply with more pieces, smaller ones call more often."""


@dataclass(frozen=True)
class Group:
    """Sentences `first` … `first + G - 1` of a batch."""

    first: int
    output: Callable[[Tensor], Tensor]
    """What a step gives of a row → the logits of the group's pieces [R, U]."""
    places: Tensor
    """[G, L] int64, where the pieces of each list stand among the U."""
    absent: Tensor
    """[G, L] bool, where a list has ended."""

    def members(self, sentences: Tensor) -> "Members":
        """sentences [R] int64, whose each row of a search is → the group's rows."""
        own = sentences - self.first
        rows = ((own >= 0) & (own < len(self.places))).nonzero()[:, 0]
        own = own.index_select(0, rows)
        return Members(rows, self.output, self.places.index_select(0, own), self.absent.index_select(0, own))


@dataclass(frozen=True)
class Members:
    """The rows of a group at a step: rows [R'] int64, places and absent [R', L] each row's."""

    rows: Tensor
    output: Callable[[Tensor], Tensor]
    places: Tensor
    absent: Tensor

    def write(self, given: Tensor, logits: Tensor) -> None:
        """given [R, …], what a step gives of all rows; writes the group's rows of logits [R, longest list of all]."""
        if len(self.rows):
            own = self.output(given.index_select(0, self.rows)).gather(1, self.places)
            logits[self.rows, : own.size(1)] = own.masked_fill_(self.absent, NEVER)


def cut(vocabularies: Vocabularies, output: Callable[[Tensor], Callable[[Tensor], Tensor]]) -> list[Group]:
    """A batch's sentences in groups. output: tokens [U] int64 → the layer that gives their logits."""
    groups: list[Group] = []
    for first in range(0, len(vocabularies.tokens), SENTENCES):
        some = vocabularies.some(first, first + SENTENCES)
        together = cast(Tensor, some.tokens.unique())
        places = torch.searchsorted(together, some.tokens.contiguous())
        groups.append(Group(first, output(together), places, some.absent))
    return groups
