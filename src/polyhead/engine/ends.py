"""What both engines do before the first layer and after the last. R rows, D d_model, V vocabulary, U tokens of it."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from polyhead.engine.projection import Projection, pack_plain
from polyhead.kernels.layers import embed
from polyhead.model.embedding import Embedding
from polyhead.model.positions import Learned, NoPosition, SinusoidalAdd

ENCODED = 512
"""Tokens, padding included, that are encoded together: what they become on the way should fit a core's cache."""


class Newest:
    """The embedding of the token that each row has just written: what the trained embedding gives, in one call."""

    def __init__(self, embedding: Embedding) -> None:
        self.embedding = embedding
        self.table = embedding.tokens.weight.detach().numpy()
        self.scale = embedding.scale
        self.added = _added(embedding.positions, self.table.shape[1])

    def __call__(self, tokens: Tensor, position: int) -> Tensor:
        """tokens [R], all at one position → [R, D]."""
        if self.added is None:
            return self.embedding(tokens[:, None], position)[:, 0]
        x = torch.empty(len(tokens), self.table.shape[1])
        embed(tokens.numpy(), self.table, self.scale, self.added[position], x.numpy())
        return x


def _added(positions: nn.Module, size: int) -> NDArray[np.float32] | None:
    """[T, D], what is added at every position; None where a position is no addition."""
    if isinstance(positions, SinusoidalAdd | Learned):
        return positions.encoding.detach().numpy()
    if isinstance(positions, NoPosition):
        return np.broadcast_to(np.zeros(size, np.float32), (positions.max_length, size))
    return None


def output_rows(weight: Tensor, tokens: Tensor) -> Projection:
    """weight [V, D], tokens [U] int64 → the output layer onto those alone: features [R, D] → logits [R, U], in float32.

    Rows that change with the batch aren't worth packing: it takes as long as it saves.
    """
    return pack_plain(weight.index_select(0, tokens), None, "none")
