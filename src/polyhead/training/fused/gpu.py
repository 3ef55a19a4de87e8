"""Parts for GPUs: equation 1 by the kernel that PyTorch has for them, and the loss without waiting.

A GPU runs the kernels that a program launches one after the other, while the program goes on. A program that reads a
number waits until all of them are done, and then the GPU waits for the program. So nothing here reads what it computes.
Shapes: N target tokens, D d_model, V vocabulary.
"""

import torch
from torch import Tensor, nn

from polyhead.model.attention import ScaledDotProductAttention
from polyhead.training.precision import Arithmetic
from polyhead.training.softmax_projection import Expectations

LOGITS_BYTES = 1 << 27
"""Bytes of the logits that are computed at once, and as many of their softmax; more rows are computed in parts."""


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


def projection_on_gpu(
    features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float
) -> Expectations:
    """A `SoftmaxProjection` in few large products, which reads none of their numbers.

    log Z is read off the likeliest word, whose probability p is at least 1/V: log Z = z - log p.
    """
    del target_logits
    rows = max(1, LOGITS_BYTES // (weight.size(0) * weight.element_size()))
    normalisers: list[Tensor] = []
    means: list[Tensor] = []
    d_weight = torch.zeros_like(weight, dtype=torch.float32)
    for start in range(0, max(1, features.size(0)), rows):
        x = features[start : start + rows]
        logits = x @ weight.t()
        probabilities, likeliest = torch.softmax(logits, -1), torch.argmax(logits, -1, keepdim=True)
        highest, share = logits.gather(1, likeliest).float(), probabilities.gather(1, likeliest).float()
        normalisers.append(torch.sub(highest, share.log())[:, 0])
        means.append(torch.mm(probabilities, weight).float())
        d_weight += probabilities.t() @ x
    exact = features.float()
    d_weight.index_add_(0, targets, exact, alpha=smoothing - 1)
    d_weight -= smoothing / weight.size(0) * exact.sum(0)
    return torch.cat(normalisers), torch.cat(means), d_weight
