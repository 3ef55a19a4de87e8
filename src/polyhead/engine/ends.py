"""What both engines do before the first layer and after the last. R rows, D d_model, V vocabulary, U tokens of it."""

from torch import Tensor

from polyhead.engine.projection import Projection, pack_plain
from polyhead.model.embedding import Embedding

ENCODED = 512
"""Tokens, padding included, that are encoded together: what they become on the way should fit a core's cache."""


def embedded(embedding: Embedding, tokens: Tensor, position: int) -> Tensor:
    """tokens [R], all at one position → [R, D]: what the trained embedding gives, by fewer calls."""
    vectors = embedding.tokens.weight.detach().index_select(0, tokens).mul_(embedding.scale)
    return embedding.positions(vectors[:, None], position)[:, 0]


def output_rows(weight: Tensor, tokens: Tensor) -> Projection:
    """weight [V, D], tokens [U] int64 → the output layer onto those alone: features [R, D] → logits [R, U], in float32.

    Rows that change with the batch aren't worth packing: it takes as long as it saves.
    """
    return pack_plain(weight.index_select(0, tokens), None, "none")
