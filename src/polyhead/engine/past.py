"""The past of all hypotheses as one tree a sentence: keys and values are written once and never moved.

A beam that reorders its hypotheses would copy their whole past at every step. Here a step appends a column for each
place of a sentence, and only a table of who descends from whom changes. Hypotheses share what their common ancestors
wrote; what has no living descendant is swept out when the columns are full.
Shapes: B sentences, W places, C columns there is room for, H heads, d = D / H.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from polyhead.engine.places import Places

HIDDEN = torch.finfo(torch.float32).min
"""Added to a score it makes the weight exactly 0."""
STRIDE = 16
"""Attention looks at a multiple of so many columns: PyTorch's softmax over fewer takes up to ten times as long."""

ROOMY = 4
"""Sentences fewer than these begin with more room: a search of one would sweep its few columns again and again."""


class Columns:
    """Every layer's keys and values, [2, B·H, C, d]; written from left to right.

    States share them: what is left of a state's `written` is that state's past and never changes.
    """

    def __init__(self, layers: list[Tensor], written: int) -> None:
        self.layers = layers
        self.written = written

    def pick(self, rows: Tensor, capacity: int, written: int) -> "Columns":
        """rows [B'·H, C'] int64, numbers of columns in all, → those columns with room for `capacity`."""
        return Columns([_pick(layer, rows, capacity) for layer in self.layers], written)


@dataclass(frozen=True)
class Past:
    """What each hypothesis has behind it."""

    columns: Columns
    ancestry: Tensor
    """[B, 1, W, C] float32: 0 where the column is an ancestor of the hypothesis at that place, else `HIDDEN`."""
    written: int
    """How many columns are this state's; the others are free, or another state's."""

    @staticmethod
    def begin(sentences: int, layers: int, heads: int, size: int) -> "Past":
        """No past: `layers` layers of `heads` heads of `size` numbers."""
        room = STRIDE * max(1, ROOMY // max(1, sentences))
        empty = [torch.zeros(2, sentences * heads, room, size) for _ in range(layers)]
        ancestry = torch.full((sentences, 1, 1, room), HIDDEN)
        return Past(Columns(empty, 0), ancestry, 0)

    @property
    def heads(self) -> int:
        return self.columns.layers[0].size(1) // self.ancestry.size(0)

    def with_room(self, width: int) -> "Past":
        """The same with `width` free columns that no other state has written."""
        if self.written + width > self.ancestry.size(3):
            return self._swept(width)
        if self.columns.written != self.written:  # a second step from one state: the first one's columns stay its own
            return self._kept(torch.arange(self.ancestry.size(0)), self._everything(), self.ancestry.size(3))
        return self

    def append(self, places: Places) -> "Past":
        """A column for each place, the place's own hypothesis its only descendant; the keys are yet to be written."""
        width = places.shape[1]
        self.ancestry.narrow(3, self.written, width).diagonal(dim1=2, dim2=3).zero_()
        self.columns.written = self.written + width
        return replace(self, written=self.written + width)

    def select(self, before: Places, rows: Tensor, after: Places) -> "Past":
        """The hypotheses `rows` [R] of `before`, standing at the places of `after`; the same sentences."""
        count, width = after.shape
        capacity = self.ancestry.size(3)
        ancestry = self.ancestry.flatten(0, 2).index_select(0, before.flat.index_select(0, rows))
        if not after.full:
            ancestry = torch.full((count * width, capacity), HIDDEN).index_copy_(0, after.flat, ancestry)
        return replace(self, ancestry=ancestry.view(count, 1, width, capacity))

    def of(self, sentences: Tensor) -> "Past":
        """sentences [B'] int64 → the past of those alone."""
        return self._kept(sentences, self._everything()[sentences], self.ancestry.size(3))

    def _everything(self) -> Tensor:
        return torch.arange(self.written).expand(self.ancestry.size(0), -1)

    def _swept(self, width: int) -> "Past":
        """Without the columns that no hypothesis descends from, and more room where that isn't enough."""
        living = (self.ancestry[:, 0, :, : self.written] == 0).any(1)
        kept = int(living.sum(1).max())
        order = living.byte().argsort(dim=1, descending=True, stable=True)[:, :kept]
        capacity = self.ancestry.size(3)
        while kept + width > capacity * 3 // 4:
            capacity *= 2
        return self._kept(torch.arange(len(order)), order, capacity)

    def _kept(self, sentences: Tensor, columns: Tensor, capacity: int) -> "Past":
        """sentences [B'], columns [B', C'] of each → their copy."""
        room, written = self.ancestry.size(3), columns.size(1)
        heads = self.heads
        first = (sentences[:, None] * heads + torch.arange(heads)) * room  # [B', H]
        rows = (first[:, :, None] + columns[:, None]).flatten(0, 1)
        ancestry = torch.full((len(sentences), 1, self.ancestry.size(2), capacity), HIDDEN)
        index = columns[:, None, None].expand(-1, 1, self.ancestry.size(2), -1)
        ancestry[..., :written] = self.ancestry[sentences].gather(3, index)
        return Past(self.columns.pick(rows, capacity, written), ancestry, written)


def _pick(layer: Tensor, rows: Tensor, capacity: int) -> Tensor:
    """layer [2, B·H, C, d], rows [B'·H, C'] → [2, B'·H, capacity, d], zeros after the first C'."""
    picked = layer.flatten(1, 2).index_select(1, rows.flatten()).view(2, *rows.shape, layer.size(3))
    grown = layer.new_empty(2, len(rows), capacity, layer.size(3))
    grown[:, :, : rows.size(1)] = picked
    grown[:, :, rows.size(1) :] = 0.0  # a weight of 0 times anything finite
    return grown
