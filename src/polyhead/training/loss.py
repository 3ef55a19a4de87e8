"""Cross-entropy with label smoothing (Vaswani et al. 2017, section 5.4), fused with the output projection.

The logits of a batch, N × V numbers, are the largest tensor of a small model by far. They are therefore never
stored: the projection, the softmax and both gradients are computed for a few hundred rows at a time.

Shapes: N target tokens (padding left out), D d_model, V vocabulary.
"""

from typing import Any

import torch
from torch import Tensor, nn

CHUNK_ROWS = 256
"""Rows of logits computed at once: few enough to stay in the cache, enough to keep the matrix product busy."""
CHUNKS_KEPT = 4
"""Chunks of probabilities kept for one product with the features: fewer, longer sums into d weight."""
ROW_STEP = 64
"""The last chunk is filled up to a multiple of this: for every new shape of a product oneDNN builds a new kernel."""


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
        log_normaliser, d_features, d_weight = _expectations(features, weight, targets)
        x, target_weight, column_sum = features.float(), weight[targets].float(), weight.float().sum(0)
        uniform = smoothing / weight.size(0)
        likelihood = (log_normaliser - (x * target_weight).sum(-1)).sum()
        mean_loss = log_normaliser.sum() - (x @ column_sum).sum() / weight.size(0)
        loss = (1 - smoothing) * likelihood + smoothing * mean_loss
        d_features -= (1 - smoothing) * target_weight + uniform * column_sum
        d_weight.index_add_(0, targets, x, alpha=smoothing - 1)
        d_weight -= uniform * x.sum(0)
        ctx.save_for_backward(d_features, d_weight)
        ctx.dtype = features.dtype
        return loss, likelihood

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        d_features, d_weight = ctx.saved_tensors
        scale = gradients[0]
        return (d_features * scale).to(ctx.dtype), (d_weight * scale).to(ctx.dtype), None, None


def _expectations(features: Tensor, weight: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What the dense p takes part in, all float32: log Σ exp z [N], Σ_v p_v weight_v [N, D], Σ_n p_n features_n [V, D].

    Rows of zeros fill the last chunk up; they add nothing to the third and are cut off the other two.
    """
    rows = features.size(0)
    x = nn.functional.pad(features, (0, 0, 0, -rows % ROW_STEP))
    words = nn.functional.pad(targets, (0, -rows % ROW_STEP))[:, None]
    log_normaliser = x.new_empty(x.size(0), dtype=torch.float32)
    mean_weight = torch.empty_like(x, dtype=torch.float32)
    mean_features = torch.zeros_like(weight, dtype=torch.float32)
    kept = x.new_empty(min(CHUNKS_KEPT * CHUNK_ROWS, x.size(0)), weight.size(0))
    for first in range(0, x.size(0), CHUNKS_KEPT * CHUNK_ROWS):
        end = min(first + CHUNKS_KEPT * CHUNK_ROWS, x.size(0))
        for start in range(first, end, CHUNK_ROWS):
            chunk = slice(start, min(start + CHUNK_ROWS, end))
            logits = x[chunk] @ weight.t()
            probabilities = torch.softmax(logits, -1, out=kept[start - first : chunk.stop - first])
            log_normaliser[chunk] = _log_normaliser(logits, probabilities, words[chunk])
            mean_weight[chunk] = probabilities @ weight
        mean_features += kept[: end - first].t() @ x[first:end]
    return log_normaliser[:rows], mean_weight[:rows], mean_features


def _log_normaliser(logits: Tensor, probabilities: Tensor, words: Tensor) -> Tensor:
    """log Σ exp z [N] float32, read off any word: log Σ exp z = z_v - log p_v; words [N, 1] says which of them.

    Where the word's probability is too small to be told from 0, off the likeliest, whose p is 1/V at least.
    """
    logit, probability = logits.gather(1, words), probabilities.gather(1, words)
    if not probability.all():
        logit, probability = logits.amax(-1, keepdim=True), probabilities.amax(-1, keepdim=True)
    return logit.float()[:, 0] - probability.float().log()[:, 0]
