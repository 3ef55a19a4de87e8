"""Equation 1 by the kernel that PyTorch has for GPUs."""

from torch import Tensor, nn

from polyhead.model.attention import ScaledDotProductAttention
from polyhead.training.precision import Arithmetic


class GPUAttention(nn.Module):
    """`ScaledDotProductAttention` that never stores the weights [B, H, T, S] (Dao et al. 2022)."""

    def __init__(self, plain: ScaledDotProductAttention, arithmetic: Arithmetic) -> None:
        super().__init__()
        self.rate = plain.dropout.rate

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """query [B, H, T, d_k], key [B, H, S, d_k], value [B, H, S, d_v] → context [B, H, T, d_v]."""
        rate = self.rate if self.training else 0.0
        context = nn.functional.scaled_dot_product_attention(query, key, value, mask, dropout_p=rate)
        return context if mask is None else context.masked_fill(~mask.any(-1, keepdim=True), 0.0)
