"""Scaled dot-product attention (Vaswani et al. 2017, section 3.2) and its multi-head form.

Shapes: B batch, H heads, T queries, S keys, D d_model, d_k = d_v = D / H.
A mask is bool and broadcasts to [B, H, T, S]; True marks a key that the query may see.
Sentences without padding (`model/sentences.py`) have N rows instead of B and T, and a `Sight` instead of a mask.
"""

import math

import torch
from torch import Tensor, nn

from polyhead.kernels.attention.sight import Sight
from polyhead.model import one_core
from polyhead.model.dropout import Dropout
from polyhead.model.linear import Linear, StackedLinear, linear

EXPLICIT_UP_TO = {torch.float32: 64, torch.bfloat16: 256}
"""Keys up to which the explicit core is the faster one on a CPU, as measured; beyond, its T×S matrix costs too much.

In bfloat16 the fused kernel's backward pass is several times slower than the explicit one at short lengths.
"""
FEWEST_KEYS = 16
"""Keys that the explicit core's softmax has at least: over fewer, PyTorch's on a CPU takes up to ten times as long."""


def attention_weights(query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
    """softmax(QKᵀ/√d_k): query [B, H, T, d_k], key [B, H, S, d_k] → [B, H, T, S], rows summing to 1.

    The softmax is computed in float32 at least. A masked key's weight is exactly 0; a row with every key masked is
    all zeros, never NaN.
    """
    products, root = query @ key.transpose(-2, -1), math.sqrt(query.size(-1))
    if products.dim() == 4 and one_core.are_learnt_by_kernels(products):
        return one_core.softmax(products, 1 / root, mask)
    scores = products.to(torch.promote_types(query.dtype, torch.float32)) / root
    if mask is None:
        return scores.softmax(-1).to(query.dtype)
    # Adding a huge negative number where the mask hides is several times faster on a CPU than overwriting.
    hidden = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = (scores + hidden).softmax(-1) * mask.any(-1, keepdim=True)
    return weights.to(query.dtype)


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """softmax(QKᵀ/√d_k)V (equation 1) → context [B, H, T, d_v] and weights [B, H, T, S]."""
    weights = attention_weights(query, key, mask)
    return weights @ value, weights


class ExplicitCore(nn.Module):
    """Equation 1 step by step, with dropout on the weights. Few keys get hidden ones of zeros beside them."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.dropout.rate == 0.0 and one_core.are_learnt_by_kernels(query):
            return one_core.attention(query, key, value, mask)
        missing = FEWEST_KEYS - key.size(-2)
        if self.training and missing > 0:
            mask = nn.functional.pad(_given(mask, key), (0, missing))
            key, value = (nn.functional.pad(x, (0, 0, 0, missing)) for x in (key, value))
        return self.dropout(attention_weights(query, key, mask)) @ value


def _given(mask: Tensor | None, key: Tensor) -> Tensor:
    """The mask, or [1, S] that hides nothing."""
    return mask if mask is not None else torch.ones(1, key.size(-2), dtype=torch.bool, device=key.device)


class FusedCore(nn.Module):
    """Equation 1 by PyTorch's fused kernel: the T×S matrix is never stored."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.rate = dropout

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        rate = self.rate if self.training else 0.0
        context = nn.functional.scaled_dot_product_attention(query, key, value, mask, dropout_p=rate)
        if mask is None:
            return context
        return context.masked_fill(~mask.any(-1, keepdim=True), 0.0)


class FastestCore(nn.Module):
    """The explicit or the fused core, whichever is faster for this device and length; without padding a kernel."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.explicit = ExplicitCore(dropout)
        self.fused = FusedCore(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | Sight | None = None) -> Tensor:
        if isinstance(mask, Sight):
            return one_core.attention_in_rows(query, key, value, mask)
        short = key.size(-2) <= EXPLICIT_UP_TO.get(key.dtype, 0)
        core = self.explicit if short and query.device.type == "cpu" else self.fused
        return core(query, key, value, mask)

    def takes_rows(self, weight: Tensor, numbers: int, longest: int) -> bool:
        """Whether a `Sight` may come: for heads of so many numbers, of products with this weight, and so many keys."""
        short, certain = longest <= EXPLICIT_UP_TO[torch.bfloat16], self.explicit.dropout.rate == 0.0
        return short and certain and one_core.attends_in_rows(weight, numbers)


class MultiHeadAttention(nn.Module):
    """Concat(head_1 … head_H) W^O with head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V) (section 3.2.2).

    `core` computes equation 1 for all heads at once and may be exchanged from outside (a recorder does).
    W^Q, W^K and W^V of all heads are stored as one matrix [3·D, D], so that self-attention needs one product.
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query_key_value = StackedLinear(d_model, d_model, 3)
        self.output = Linear(d_model, d_model)
        self.core: nn.Module = FastestCore(dropout)

    def forward(self, x: Tensor, mask: Tensor | Sight | None) -> Tensor:
        """Self-attention: x [B, T, D], mask → [B, T, T] → [B, T, D]."""
        query, key, value = self.project(x)
        return self.attend(query, key, value, mask)

    def look_at(self, x: Tensor, memory: Tensor, mask: Tensor | Sight | None) -> Tensor:
        """Attention to another sequence: x [B, T, D], memory [B, S, D], mask → [B, T, S] → [B, T, D].

        The stacked maps are taken apart once, so that their gradients are put together once.
        """
        of_query, of_memory = self._maps_apart()
        (query,) = self._heads(linear(x, *of_query), 1)
        key, value = self._heads(linear(memory, *of_memory), 2)
        return self.attend(query, key, value, mask)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """x [B, T, D] → Q, K, V, each [B, H, T, d_k]."""
        query, key, value = self._heads(self.query_key_value(x), 3)
        return query, key, value

    def project_query(self, x: Tensor) -> Tensor:
        """x [B, T, D] → Q [B, H, T, d_k], for attention to another sequence."""
        return self._heads(linear(x, *self._maps_apart()[0]), 1)[0]

    def project_key_value(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """memory [B, S, D] → K, V, each [B, H, S, d_k]."""
        key, value = self._heads(linear(memory, *self._maps_apart()[1]), 2)
        return key, value

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | Sight | None) -> Tensor:
        """Q [B, H, T, d_k], K and V [B, H, S, d_k] → the heads' contexts, concatenated, times W^O: [B, T, D]."""
        context = self.core(query, key, value, mask)
        return self.output(context.transpose(-3, -2).flatten(-2))

    def takes_rows(self, longest: int) -> bool:
        """Whether sentences of at most so many tokens may come without padding."""
        weight, core = self.query_key_value.weight, self.core
        return isinstance(core, FastestCore) and core.takes_rows(weight, weight.size(1) // self.num_heads, longest)

    def _maps_apart(self) -> list[tuple[Tensor, Tensor]]:
        """Weight and bias of W^Q, and of W^K and W^V."""
        maps = self.query_key_value
        sizes = [maps.in_features, 2 * maps.in_features]
        return list(zip(torch.split(maps.weight, sizes), torch.split(maps.bias, sizes), strict=True))

    def _heads(self, projected: Tensor, parts: int) -> tuple[Tensor, ...]:
        """[B, T, parts·D] → `parts` tensors [B, H, T, d_k]."""
        if one_core.are_learnt_on_one_core(projected):
            return one_core.heads_apart(projected, parts, self.num_heads)
        return projected.unflatten(-1, (parts, self.num_heads, -1)).transpose(-4, -2).unbind(-3)
