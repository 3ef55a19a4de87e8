"""Rows on a grid: sentences × hypotheses, or sentences × tokens, so that attention is one batched product.

Linear maps and norms see the rows alone, no padding; only attention sees the grid.
Shapes: R rows, B sentences, W places of each.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor


@dataclass(frozen=True)
class Places:
    """Row r stands at place `slots[r]` of sentence `sentences[r]`; a grid may have empty places."""

    sentences: Tensor
    """[R] int64, 0 … B-1."""
    slots: Tensor
    """[R] int64, 0 … W-1; no two rows of a sentence have the same."""
    shape: tuple[int, int]
    """B, W."""

    @staticmethod
    def one_each(sentences: int) -> "Places":
        """One row for every sentence, in order."""
        rows = torch.arange(sentences)
        return Places(rows, torch.zeros_like(rows), (sentences, 1))

    @staticmethod
    def of_tokens(mask: Tensor, multiple: int) -> "Places":
        """mask [B, S] bool, True at real tokens → a row for each; W is S rounded up to a multiple."""
        sentences, slots = mask.nonzero(as_tuple=True)
        return Places(sentences, slots, (mask.size(0), -(-mask.size(1) // multiple) * multiple))

    @staticmethod
    def of(sentences: Tensor, count: int) -> "Places":
        """sentences [R] int64, in any order, with repetitions → their places among `count` sentences."""
        order = sentences.argsort(stable=True)
        ordered = sentences[order]
        rows = torch.arange(len(sentences))
        first = torch.ones_like(ordered, dtype=torch.bool)
        first[1:] = ordered[1:] != ordered[:-1]
        starts = torch.where(first, rows, 0).cummax(0).values
        slots = torch.empty_like(rows).index_copy_(0, order, rows - starts)
        return Places(sentences, slots, (count, int(slots.max()) + 1 if len(slots) else 1))

    @cached_property
    def flat(self) -> Tensor:
        """[R] int64, each row's place in the grid laid out flat."""
        return self.sentences * self.shape[1] + self.slots

    @cached_property
    def full(self) -> bool:
        """Whether the rows, in order, are the places, in order."""
        return len(self.flat) == self.shape[0] * self.shape[1] and bool((self.flat.diff() == 1).all())

    @cached_property
    def rows(self) -> Tensor:
        """[B·W] int64, the row at each place; an empty place shows row 0, and nobody reads what comes of it."""
        return torch.zeros(self.shape[0] * self.shape[1], dtype=torch.int64).index_copy_(
            0, self.flat, torch.arange(len(self.flat))
        )

    @cached_property
    def grid(self) -> "Grid":
        """What compiled code needs of it."""
        if self.full and len(self.flat):
            return Grid(*self.shape, None, None)
        return Grid(*self.shape, self.rows, self.flat)


class Grid(NamedTuple):
    """B × W places; where rows aren't the places in order, which row stands at each and where each row stands."""

    sentences: int
    width: int
    rows: Tensor | None
    """[B·W] int64."""
    flat: Tensor | None
    """[R] int64."""


def spread(x: Tensor, grid: Grid) -> Tensor:
    """x [R, N] → [B·W, N]."""
    rows = grid.rows
    if rows is None:
        return x
    if x.size(0) == 0:
        return x.new_zeros([grid.sentences * grid.width, x.size(1)])
    return x.index_select(0, rows)


def gather(x: Tensor, grid: Grid) -> Tensor:
    """x [B·W, N] → [R, N]."""
    flat = grid.flat
    return x if flat is None else x.index_select(0, flat)
