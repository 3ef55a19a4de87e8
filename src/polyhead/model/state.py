"""Explicit values that flow through decoding: the encoder's memory and the decoder's state.

Neither is ever stored on a module. `select` picks, repeats, reorders or drops rows; that is all a search needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from torch import Tensor


class State(Protocol):
    """A decoder's state: one row for every live hypothesis."""

    def select(self, rows: Tensor) -> Self:
        """rows [R] int64 → the state whose row r is this state's row rows[r]; rows may repeat or be left out."""
        ...


@dataclass(frozen=True)
class Memory:
    """What the encoder hands to the decoder.

    states: [B, S, D] the encoder's last layer
    mask: [B, S] bool, True at real tokens
    summary: an RNN encoder's final hidden state(s), each [layers, B, D]; empty for the Transformer
    """

    states: Tensor
    mask: Tensor
    summary: tuple[Tensor, ...] = ()

    def select(self, rows: Tensor) -> Memory:
        """rows [R] int64 → the memory of those rows."""
        return Memory(self.states[rows], self.mask[rows], tuple(part[:, rows] for part in self.summary))
