"""The past of all hypotheses as one tree: keys and values are written once and never moved.

A step adds a node for every row; a row's past is the list of its ancestors' numbers, and only these lists are copied
when a beam reorders its rows. Nodes without a living descendant are swept out when there is no more room.
Shapes: R rows, t tokens so far, L layers, C nodes there is room for, A the width of all heads.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.memory.allocate import empty

STEPS_AT_FIRST = 16
"""A new tree has memory for this many steps of every row."""
NODES_AT_FIRST = 256
"""A new tree has memory for at least this many nodes, so that a single sentence seldom needs more."""


@dataclass
class Nodes:
    """The keys and values of every node in every layer. They are shared by the states of a search, and never change."""

    values: NDArray[np.float32]
    """[L, C, 2·A]. Pages that nothing was written to take no memory."""
    written: int = 0
    """How many nodes have been added."""

    @property
    def free(self) -> int:
        """How many more nodes fit."""
        return self.values.shape[1] - self.written


class Past(NamedTuple):
    """The past of each row, as the numbers of its nodes."""

    nodes: Nodes
    ancestors: NDArray[np.int32]
    """[R, t] the numbers of each row's nodes, oldest first."""

    @staticmethod
    def begin(rows: int, layers: int, width: int) -> "Past":
        """The past of `rows` rows before the first step. width: 2·A."""
        values = empty((layers, max(rows * STEPS_AT_FIRST, NODES_AT_FIRST), width))
        return Past(Nodes(values), np.empty((rows, 0), np.int32))

    def append(self) -> "Past":
        """The past with one more node for each row, whose keys and values the caller then writes."""
        rows = len(self.ancestors)
        past = self if self.nodes.free >= rows else self._swept()
        first = past.nodes.written
        past.nodes.written += rows
        fresh = np.arange(first, first + rows, dtype=np.int32)[:, None]
        return Past(past.nodes, np.concatenate([past.ancestors, fresh], axis=1))

    def select(self, rows: NDArray[np.int64]) -> "Past":
        """rows [R'], numbers of rows which may repeat → their past."""
        return Past(self.nodes, self.ancestors.take(rows, axis=0))

    def _swept(self) -> "Past":
        """The past in a new tree without the nodes that no row descends from, with memory for as many nodes again."""
        living, numbers = np.unique(self.ancestors, return_inverse=True)
        layers, _, width = self.nodes.values.shape
        wanted = 2 * (len(living) + len(self.ancestors))
        values = empty((layers, wanted, width))
        values[:, : len(living)] = self.nodes.values[:, living]
        return Past(Nodes(values, len(living)), numbers.astype(np.int32).reshape(self.ancestors.shape))
