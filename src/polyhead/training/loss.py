"""Cross-entropy with label smoothing (Vaswani et al. 2017, section 5.4), fused with the output projection.

The logits of a batch, N × V numbers, are the largest tensor of a small model by far. They are therefore never
stored: the projection, the softmax and both gradients are computed for a few hundred rows at a time.

Shapes: N target tokens (padding left out), D d_model, V vocabulary.
"""

from typing import Any

import torch
from torch import Tensor

from polyhead.training.softmax_projection import SoftmaxProjection, softmax_projection

SUMMED_ROWS = 1024
"""How many rows of the weight are added up at once."""


def label_smoothed_loss(
    features: Tensor,
    weight: Tensor,
    targets: Tensor,
    smoothing: float,
    projection: SoftmaxProjection = softmax_projection,
) -> tuple[Tensor, Tensor]:
    """features [N, D], weight [V, D], targets [N] → (loss to differentiate, plain negative log-likelihood).

    Both are sums over tokens in nats, float32. With logits z = features·weightᵀ and smoothing ε the loss is
    -Σ_v q_v log softmax(z)_v, where q puts 1-ε on the target and spreads ε evenly over all V words.
    """
    loss, likelihood = _ProjectedCrossEntropy.apply(features, weight, targets, smoothing, projection)
    return loss, likelihood


class _ProjectedCrossEntropy(torch.autograd.Function):
    """Gradients are computed in the forward pass, while a chunk's probabilities are at hand.

    With p = softmax(z), dz = p - (1-ε)·onehot(target) - ε/V. Only p is dense: the other two terms reach d features as
    a gathered row and a column sum, exact in float32; d weight comes whole.
    """

    @staticmethod
    def forward(
        ctx: Any, features: Tensor, weight: Tensor, targets: Tensor, smoothing: float, projection: SoftmaxProjection
    ) -> tuple[Tensor, Tensor]:
        x, target_weight, column_sum = features.float(), weight[targets].float(), _column_sum(weight)
        target_logits = (x * target_weight).sum(-1)
        log_normaliser, d_features, d_weight = projection(features, weight, targets, target_logits, smoothing)
        uniform = smoothing / weight.size(0)
        likelihood = (log_normaliser - target_logits).sum()
        mean_loss = log_normaliser.sum() - (x @ column_sum).sum() / weight.size(0)
        loss = (1 - smoothing) * likelihood + smoothing * mean_loss
        d_features -= (1 - smoothing) * target_weight + uniform * column_sum
        ctx.save_for_backward(d_features, d_weight)
        ctx.dtype = features.dtype
        return loss, likelihood

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        d_features, d_weight = ctx.saved_tensors
        scale = gradients[0]
        if scale.device.type != "cpu" or scale != 1:  # to ask a GPU would be to wait for it
            d_features, d_weight = d_features * scale, d_weight * scale
        return d_features.to(ctx.dtype), d_weight.to(ctx.dtype), None, None, None


def _column_sum(weight: Tensor) -> Tensor:
    """Σ_v weight_v [D] float32, in parts whose float32 copies stay in the cache."""
    return torch.stack([rows.sum(0, dtype=torch.float32) for rows in weight.split(SUMMED_ROWS)]).sum(0)
