"""What both engines do before the first layer and after the last. R rows, D d_model, V vocabulary, U tokens of it."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from polyhead.engine.projection import Projection, pack_plain
from polyhead.kernels.layers import embed
from polyhead.model.embedding import Embedding
from polyhead.model.positions import Learned, NoPosition, SinusoidalAdd, SinusoidalConcat

ENCODED = 512
"""Tokens, padding included, that are encoded together: what they become on the way should fit a core's cache."""


PLACED = (SinusoidalAdd, SinusoidalConcat, Learned, NoPosition)
"""The kinds of positions that are known here."""


class Embedded:
    """What a trained embedding gives for tokens that stand anywhere, without padding, in one call."""

    def __init__(self, embedding: Embedding) -> None:
        self.table = embedding.tokens.weight.detach().numpy()
        self.scale = embedding.scale
        self.positions = embedding.positions
        self.added = _added(embedding.positions, self.table.shape[1])

    def __call__(self, tokens: NDArray[np.int64], positions: NDArray[np.int64]) -> NDArray[np.float32]:
        """tokens [R], positions [R] → [R, D]."""
        x = np.empty((len(tokens), self.table.shape[1]), np.float32)
        embed(tokens, positions, self.table, self.scale, self.added, x)
        if isinstance(self.positions, SinusoidalConcat):
            encoding = self.positions.encoding[torch.from_numpy(positions)]
            return self.positions.merge(torch.cat([torch.from_numpy(x), encoding], -1)).detach().numpy()
        return x


def _added(positions: nn.Module, size: int) -> NDArray[np.float32]:
    """[T, D], what is added at every position."""
    if isinstance(positions, SinusoidalAdd | Learned):
        return positions.encoding.detach().numpy()
    if isinstance(positions, SinusoidalConcat | NoPosition):
        return np.zeros((positions.max_length, size), np.float32)
    raise TypeError(f"{type(positions).__name__} has no prepared form")


def output_rows(weight: Tensor, tokens: Tensor) -> Projection:
    """weight [V, D], tokens [U] int64 → the output layer onto those alone: features [R, D] → logits [R, U], in float32.

    Rows that change with the batch aren't worth packing: it takes as long as it saves.
    """
    return pack_plain(weight.index_select(0, tokens), None, "none")
