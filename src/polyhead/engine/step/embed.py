"""The kernel of an embedding. Shapes: R rows, T positions, D d_model, V vocabulary."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


class EmbeddingTables(NamedTuple):
    """What tokens and their positions are looked up in."""

    tokens: Floats
    """[V, D] a row for each token."""
    scale: float
    """What a token's row is multiplied by."""
    positions: Floats
    """[T, D] what is added at each position."""


@kernel
def embed(tokens: Integers, positions: Integers, pinned: Any, x: Floats) -> int:
    """x [R, D] = scale · table[tokens] + added[positions], where tokens and positions have R numbers each.

    pinned: `EmbeddingTables`. Returns the first row whose token or position is outside its table, or -1 if there is
    none; rows from it on are not written.
    """
    table, added, factor = pinned.value.tokens, pinned.value.positions, np.float32(pinned.value.scale)
    for r in range(x.shape[0]):
        token, position = tokens[r], positions[r]
        if token < 0 or token >= table.shape[0] or position < 0 or position >= added.shape[0]:
            return r
        for i in range(x.shape[1]):
            x[r, i] = table[token, i] * factor + added[position, i]
    return -1
