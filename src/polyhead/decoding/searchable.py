"""What a search needs of a model, in NumPy's arrays.

A search keeps its records in small arrays. An engine may do without PyTorch, which then isn't loaded.
Shapes: B sentences, S source length, R live rows, V vocabulary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

if TYPE_CHECKING:
    from torch import Tensor

    from polyhead.model.seq2seq import Seq2Seq

Numbers: TypeAlias = NDArray[np.int64]
Booleans: TypeAlias = NDArray[np.bool_]
Values: TypeAlias = NDArray[np.float32]
Sums: TypeAlias = NDArray[np.float64]
Best: TypeAlias = tuple[Numbers, Numbers, Values, Sums]
"""Rows, tokens, their log-probabilities and totals, each [N, C], best first."""
Logits: TypeAlias = "Values | Tensor"
"""[R, V] float32; a tensor is on another device than the CPU and stays there."""


class SearchState(Protocol):
    """A decoder's state: one row for every live hypothesis."""

    def select(self, rows: Numbers) -> Self:
        """rows [R] → the state whose row r is this state's row rows[r]; rows may repeat or be left out."""
        ...


S = TypeVar("S", bound=SearchState, default=Any)


class Searchable(Protocol[S]):
    """An engine: a model that is stepped through. Searches know nothing else of it."""

    def encode(self, source: Numbers, source_mask: Booleans) -> Any:
        """source [B, S], source_mask [B, S] (True at real tokens) → what the decoder may look at."""
        ...

    def start(self, memory: Any) -> S:
        """The decoder's state before the first token, a row for every row of the memory."""
        ...

    def step(self, previous: Numbers, state: S) -> tuple[Logits, S]:
        """previous [R], the token just written → logits [R, V] for the next one, and the state after it.

        The logits are the caller's own: rules write into them.
        """
        ...


Model: TypeAlias = "Searchable[Any] | Seq2Seq[Any]"
Source: TypeAlias = "Numbers | Tensor"
Mask: TypeAlias = "Booleans | Tensor"


def searchable(model: Model, source: Source, source_mask: Mask) -> tuple[Searchable[Any], Numbers, Booleans]:
    """The arguments of a search in arrays. Tensors come with a PyTorch model that is on the same device."""
    if isinstance(source, np.ndarray) or isinstance(source_mask, np.ndarray):
        return cast("tuple[Searchable[Any], Numbers, Booleans]", (model, source, source_mask))
    from polyhead.model.arrays import InArrays

    tensors = cast("Seq2Seq[Any]", model)
    return InArrays(tensors, source.device), source.cpu().numpy(), source_mask.cpu().numpy()


def in_memory(logits: Logits) -> Values:
    """Logits [R, V] in the CPU's own memory."""
    return logits if isinstance(logits, np.ndarray) else logits.cpu().numpy()
