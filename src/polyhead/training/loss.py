"""Cross-entropy with label smoothing (Vaswani et al. 2017, section 5.4), fused with the output projection.

The logits of a batch, N × V numbers, are the largest tensor of a small model by far. They are therefore never
stored: the projection, the softmax and both gradients are computed for a few hundred rows at a time.

Shapes: N target tokens (padding left out), D d_model, V vocabulary.
"""

from typing import Any

import torch
from torch import Tensor

CHUNK_ROWS = 256
"""Rows of logits computed at once: few enough to stay in the cache, enough to keep the matrix product busy."""
CHUNKS_KEPT = 4
"""Chunks of probabilities kept for one product with the features: fewer, longer sums into d weight."""


def label_smoothed_loss(features: Tensor, weight: Tensor, targets: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    """features [N, D], weight [V, D], targets [N] → (loss to differentiate, plain negative log-likelihood).

    Both are sums over tokens in nats, float32. With logits z = features·weightᵀ and smoothing ε the loss is
    -Σ_v q_v log softmax(z)_v, where q puts 1-ε on the target and spreads ε evenly over all V words.
    """
    loss, likelihood = _ProjectedCrossEntropy.apply(features, weight, targets, smoothing)
    return loss, likelihood


class _ProjectedCrossEntropy(torch.autograd.Function):
    """Gradients are computed in the forward pass, while a chunk's probabilities are at hand.

    With p = softmax(z), dz = p - (1-ε)·onehot(target) - ε/V. Only p is dense: the other two terms reach
    d features and d weight as a gathered row, an indexed sum and a column sum, exact in float32.
    """

    @staticmethod
    def forward(ctx: Any, features: Tensor, weight: Tensor, targets: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
        loss, likelihood = features.new_zeros(2, dtype=torch.float32)
        d_features = torch.empty_like(features)
        d_weight = torch.zeros_like(weight, dtype=torch.float32)
        uniform = smoothing / weight.size(0)
        column_sum = weight.float().sum(0)
        kept = features.new_empty(min(CHUNKS_KEPT * CHUNK_ROWS, features.size(0)), weight.size(0))
        for start in range(0, features.size(0), CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            x, target = features[rows], targets[rows]
            logits = x @ weight.t()
            place = start % (CHUNKS_KEPT * CHUNK_ROWS)
            probabilities = kept[place : place + x.size(0)]
            torch.softmax(logits, -1, out=probabilities)
            log_normaliser = _log_normaliser(logits, probabilities)
            target_weight = weight[target]
            target_logit = (x.float() * target_weight.float()).sum(-1)
            negative_log_likelihood = log_normaliser - target_logit
            mean_loss = log_normaliser.sum() - (x.float() @ column_sum).sum() / weight.size(0)
            likelihood += negative_log_likelihood.sum()
            loss += (1 - smoothing) * negative_log_likelihood.sum() + smoothing * mean_loss
            d_x = (probabilities @ weight).float() - (1 - smoothing) * target_weight.float() - uniform * column_sum
            d_features[rows] = d_x.to(features.dtype)
            filled = place + x.size(0)
            if filled == kept.size(0) or start + x.size(0) == features.size(0):
                d_weight += kept[:filled].t() @ features[start + x.size(0) - filled : start + x.size(0)]
        d_weight.index_add_(0, targets, features.float(), alpha=smoothing - 1)
        d_weight -= uniform * features.float().sum(0)
        ctx.save_for_backward(d_features, d_weight)
        ctx.weight_dtype = weight.dtype
        return loss, likelihood

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        d_features, d_weight = ctx.saved_tensors
        scale = gradients[0]
        return d_features * scale.to(d_features.dtype), (d_weight * scale).to(ctx.weight_dtype), None, None


def _log_normaliser(logits: Tensor, probabilities: Tensor) -> Tensor:
    """log Σ exp z [N] float32, read off the likeliest word: log Σ exp z = z_max - log p_max, and p_max ≥ 1/V."""
    return logits.amax(-1).float() - probabilities.amax(-1).float().log()
