"""The past of all hypotheses as one tree: keys and values are written once and never moved.

A step adds a node for every row; a row's past is the list of its ancestors' numbers, and only these lists are copied
when a beam reorders its rows. Nodes without a living descendant are swept out when there is no more room.
Shapes: R rows, t tokens so far, L layers, C nodes there is room for, A the width of all heads.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyhead.memory.allocate import room_for

STEPS = 16
"""Steps that there is room for at the beginning …"""
ROOM = 256
"""… and nodes, at least: a sentence alone has room to its end."""


@dataclass
class Nodes:
    """Every layer's keys and values; states share them, and what one has written never changes."""

    values: NDArray[np.float32]
    """[L, C, 2·A]; memory that nobody has written to takes none."""
    written: int = 0

    @property
    def room(self) -> int:
        return self.values.shape[1] - self.written


@dataclass(frozen=True)
class Past:
    """What each row has behind it."""

    nodes: Nodes
    places: NDArray[np.int32]
    """[R, t] the numbers of its nodes, oldest first."""

    @staticmethod
    def begin(rows: int, layers: int, width: int) -> "Past":
        """No past, of `rows` rows; width: 2·A."""
        values = room_for((layers, max(rows * STEPS, ROOM), width))
        return Past(Nodes(values), np.empty((rows, 0), np.int32))

    def append(self) -> "Past":
        """The same with a node for each row, whose keys and values are yet to be written."""
        rows = len(self.places)
        past = self if self.nodes.room >= rows else self._swept()
        first = past.nodes.written
        past.nodes.written += rows
        fresh = np.arange(first, first + rows, dtype=np.int32)[:, None]
        return Past(past.nodes, np.concatenate([past.places, fresh], axis=1))

    def select(self, rows: NDArray[np.int64]) -> "Past":
        """rows [R'] → the past of those."""
        return Past(self.nodes, self.places.take(rows, axis=0))

    def _swept(self) -> "Past":
        """Without the nodes that no row descends from, and as much room again as is taken then."""
        living, numbers = np.unique(self.places, return_inverse=True)
        layers, _, width = self.nodes.values.shape
        wanted = 2 * (len(living) + len(self.places))
        values = room_for((layers, wanted, width))
        values[:, : len(living)] = self.nodes.values[:, living]
        return Past(Nodes(values, len(living)), numbers.astype(np.int32).reshape(self.places.shape))
