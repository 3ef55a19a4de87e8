"""The embeddings, which stand before the first layer. R rows, T positions, D d_model, V vocabulary."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyhead.engine.pack import pack_float32
from polyhead.engine.step.embed import EmbeddingTables, embed
from polyhead.kernels.arrays.pinned_args import PinnedArgs, pin_args
from polyhead.kernels.linear.packed import multiply
from polyhead.kernels.linear.packed_float32 import Float32Weights
from polyhead.kernels.threads.team import ALONE
from polyhead.model.config import TransformerConfig
from polyhead.model.sinusoids import sinusoids
from polyhead.model.trained import Floats, TransformerArrays

POSITIONS = {"sinusoidal", "sinusoidal-concat", "learned", "none"}
"""The kinds of positions that are known here."""
TOKENS_AT_ONCE = 512
"""Tokens, padding included, that are encoded together: what they become on the way should fit a core's cache."""


@dataclass(frozen=True)
class PositionMerge:
    """Positions with dimensions of their own: [x ; PE] W + b."""

    encoding: Floats
    """[T, D] the positional encoding PE."""
    back: Float32Weights
    """The linear map of W and b, from 2·D numbers to D."""

    def __call__(self, x: Floats, positions: NDArray[np.int64]) -> Floats:
        """x [R, D] → [R, D]."""
        y = np.empty_like(x)
        multiply(np.concatenate([x, self.encoding[positions]], axis=1), self.back, 0, y, ALONE)
        return y


@dataclass(frozen=True)
class Embedded:
    """An embedding, which takes tokens at any positions, without padding, in one call."""

    tables: PinnedArgs
    """`EmbeddingTables`: a row for each of V tokens and each of T positions."""
    shape: tuple[int, int, int]
    """V, T, D."""
    merge: PositionMerge | None

    def __call__(self, tokens: NDArray[np.int64], positions: NDArray[np.int64]) -> Floats:
        """tokens [R], positions [R] → [R, D].

        Raises IndexError for a token that is not in the vocabulary or a position that the model does not have, and
        ValueError where there are not as many positions as tokens.
        """
        if len(tokens) != len(positions):
            raise ValueError(f"there are {len(tokens)} tokens, but {len(positions)} positions: give one for each")
        size, longest, d_model = self.shape
        x = np.empty((len(tokens), d_model), np.float32)
        wrong = embed(tokens, positions, self.tables, x)
        if wrong >= 0:
            raise IndexError(
                f"row {wrong} has token {tokens[wrong]} at position {positions[wrong]}, but the vocabulary has "
                f"{size} tokens and the model {longest} positions"
            )
        return x if self.merge is None else self.merge(x, positions)


def encoding_of(config: TransformerConfig) -> Floats:
    """The sinusoids [T, D] that both embeddings share; zeros for a model without."""
    shape = config.max_length, config.d_model
    return sinusoids(*shape) if config.positions.startswith("sinusoidal") else np.zeros(shape, np.float32)


def embedded(model: TransformerArrays, name: str, table: Floats, encoding: Floats) -> Embedded:
    """The model's embedding called `name`, of its `table` [V, D] and of the model's `encoding_of` [T, D]."""
    added = _position_table(model, name, encoding)
    tables = pin_args(EmbeddingTables(table, math.sqrt(table.shape[1]), added))
    return Embedded(tables, (len(table), *added.shape), _position_merge(model, name, encoding))


def _position_table(model: TransformerArrays, name: str, encoding: Floats) -> Floats:
    config = model.config
    match config.positions:
        case "sinusoidal":
            return encoding
        case "learned":
            return model[f"{name}.positions.encoding"].copy()
        case "sinusoidal-concat" | "none":
            return np.zeros((config.max_length, config.d_model), np.float32)


def _position_merge(model: TransformerArrays, name: str, encoding: Floats) -> PositionMerge | None:
    if model.config.positions != "sinusoidal-concat":
        return None
    return PositionMerge(encoding, pack_float32([lambda: model.map(f"{name}.positions.merge")], lambda: None))
