"""Scaled dot-product attention (Vaswani et al. 2017, section 3.2) and its multi-head form.

Shapes: B batch, H heads, T queries, S keys, D d_model, d_k = d_v = D / H.
A mask is bool and broadcasts to [B, H, T, S]; True marks a key that the query may see.
"""

import math

import torch
from torch import Tensor, nn

from polyhead.model.dropout import Dropout
from polyhead.model.linear import StackedLinear


def attention_weights(query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
    """softmax(QKᵀ/√d_k): query [B, H, T, d_k], key [B, H, S, d_k] → [B, H, T, S], rows summing to 1.

    The softmax is computed in float32 at least. A masked key's weight is exactly 0; a row with every key masked is
    all zeros, never NaN.
    """
    products = (query @ key.transpose(-2, -1)).to(torch.promote_types(query.dtype, torch.float32))
    scores = products / math.sqrt(query.size(-1))
    if mask is None:
        return scores.softmax(-1).to(query.dtype)
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
    return weights.masked_fill(~mask, 0.0).to(query.dtype)


class ScaledDotProductAttention(nn.Module):
    """softmax(QKᵀ/√d_k)V (equation 1), in training with dropout on the weights."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """query [B, H, T, d_k], key [B, H, S, d_k], value [B, H, S, d_v] → context [B, H, T, d_v]."""
        return self.dropout(attention_weights(query, key, mask)) @ value


class MultiHeadAttention(nn.Module):
    """Concat(head_1 … head_H) W^O with head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V) (section 3.2.2).

    `core` computes equation 1 for all heads at once and may be exchanged from outside, as a recorder does.
    W^Q, W^K and W^V of all heads are stored as one matrix [3·D, D].
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query_key_value = StackedLinear(d_model, d_model, 3)
        self.output = nn.Linear(d_model, d_model)
        self.core: nn.Module = ScaledDotProductAttention(dropout)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        """x [B, T, D] attends to memory [B, S, D], in self-attention to x, where the mask lets it → [B, T, D]."""
        query, (key, value) = self.project_query(x), self.project_key_value(memory)
        return self.attend(query, key, value, mask)

    def project_query(self, x: Tensor) -> Tensor:
        """x [B, T, D] → Q [B, H, T, d_k]."""
        (query,) = self._heads(nn.functional.linear(x, *self.query_key_value.part(0, 1)), 1)
        return query

    def project_key_value(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """memory [B, S, D] → K, V, each [B, H, S, d_k]."""
        key, value = self._heads(nn.functional.linear(memory, *self.query_key_value.part(1, 3)), 2)
        return key, value

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        """Q [B, H, T, d_k], K and V [B, H, S, d_k] → the heads' contexts, concatenated, times W^O: [B, T, D]."""
        context = self.core(query, key, value, mask)
        return self.output(context.transpose(-3, -2).flatten(-2))

    def _heads(self, projected: Tensor, parts: int) -> tuple[Tensor, ...]:
        """[B, T, parts·D] → `parts` tensors [B, H, T, d_k]."""
        return projected.unflatten(-1, (parts, self.num_heads, -1)).transpose(-4, -2).unbind(-3)
