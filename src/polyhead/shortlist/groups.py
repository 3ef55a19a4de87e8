"""Groups of sentences, for which the output layer makes one product with the pieces of all their lists.

One product for the whole batch would be with nearly the whole vocabulary, one for each sentence would read every weight
again and again.
Shapes: G sentences of the group, L the longest list of them, U pieces in any of their lists, R rows.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from polyhead.decoding.rules import NEVER
from polyhead.decoding.searchable import Booleans, Numbers, Values
from polyhead.shortlist.vocabularies import Vocabularies

SENTENCES = 16
"""G, the sentences of a group. Larger groups multiply with more pieces, smaller ones need more calls."""


@dataclass(frozen=True)
class Group:
    """Sentences `first` … `first + G - 1` of a batch."""

    first: int
    output: Callable[[Values], Values]
    """What a step gives for rows [R, …] → the logits of the group's pieces [R, U]."""
    places: Numbers
    """[G, L], where the pieces of each list stand among the U."""
    absent: Booleans
    """[G, L], True behind the end of a list."""

    def members(self, sentences: Numbers) -> "Members":
        """sentences [R], the sentence of each row of a search → the rows of this group."""
        own = sentences - self.first
        rows = ((own >= 0) & (own < len(self.places))).nonzero()[0]
        return Members(rows, self.output, self.places[own[rows]], self.absent[own[rows]])


@dataclass(frozen=True)
class Members:
    """The rows of a group at a step: rows [R'], their numbers; places and absent [R', L], those of their sentences."""

    rows: Numbers
    output: Callable[[Values], Values]
    places: Numbers
    absent: Booleans

    def write(self, given: Values, logits: Values) -> None:
        """Writes the group's rows of logits [R, longest list of all]; given [R, …]: what a step gives for all rows."""
        if len(self.rows):
            own = np.take_along_axis(self.output(given[self.rows]), self.places, axis=1)
            own[self.absent] = NEVER
            logits[self.rows, : own.shape[1]] = own


def cut(vocabularies: Vocabularies, output: Callable[[Numbers], Callable[[Values], Values]]) -> list[Group]:
    """A batch's sentences in groups. output: tokens [U] → the layer that gives their logits."""
    groups: list[Group] = []
    for first in range(0, len(vocabularies.tokens), SENTENCES):
        some = vocabularies.some(first, first + SENTENCES)
        together = np.unique(some.tokens)
        places = np.searchsorted(together, some.tokens)
        groups.append(Group(first, output(together), places, some.absent))
    return groups
