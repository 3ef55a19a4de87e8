"""The softmax over the vocabulary and the dense part of the loss's gradients, a chunk of rows at a time.

Shapes: N target tokens, D d_model, V vocabulary.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

CHUNK_ROWS = 256
"""Rows of logits computed at once: few enough to stay in the cache, enough to keep the matrix product busy."""
CHUNKS_KEPT = 4
"""Chunks of probabilities kept for one product with the features: fewer, longer sums into d weight."""
ROW_STEP = 64
"""The last chunk is filled up to a multiple of this: for every new shape of a product oneDNN builds a new kernel."""

Expectations = tuple[Tensor, Tensor, Tensor]
"""log Z [N] and Σ_v p_v weight_v [N, D], float32; Σ_n (p_n - q_n) features_n [V, D], float32 or the features' dtype."""
SoftmaxProjection = Callable[[Tensor, Tensor, Tensor, Tensor, float], Expectations]
"""features [N, D], weight [V, D], targets [N], their logits [N] float32, smoothing → what the loss needs.

With z = features · weightᵀ, Z = Σ_v e^z and p = e^z / Z. The third is the whole gradient of the weight: q puts
1 - smoothing on the target and spreads the rest over all words.
"""


def softmax_projection(
    features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float
) -> Expectations:
    """A `SoftmaxProjection` by PyTorch's operations.

    Rows of zeros fill the last chunk up; they add nothing to the third result and are cut off the other two.
    """
    rows = features.size(0)
    x = nn.functional.pad(features, (0, 0, 0, -rows % ROW_STEP))
    words = nn.functional.pad(targets, (0, -rows % ROW_STEP))[:, None]
    log_normaliser = x.new_empty(x.size(0), dtype=torch.float32)
    mean_weight = torch.empty_like(x, dtype=torch.float32)
    d_weight = torch.zeros_like(weight, dtype=torch.float32)
    kept = x.new_empty(min(CHUNKS_KEPT * CHUNK_ROWS, x.size(0)), weight.size(0))
    for first in range(0, x.size(0), CHUNKS_KEPT * CHUNK_ROWS):
        end = min(first + CHUNKS_KEPT * CHUNK_ROWS, x.size(0))
        for start in range(first, end, CHUNK_ROWS):
            chunk = slice(start, min(start + CHUNK_ROWS, end))
            logits = x[chunk] @ weight.t()
            probabilities = torch.softmax(logits, -1, out=kept[start - first : chunk.stop - first])
            log_normaliser[chunk] = _log_normaliser(logits, probabilities, words[chunk])
            mean_weight[chunk] = probabilities @ weight
        d_weight += kept[: end - first].t() @ x[first:end]
    exact = features.float()
    d_weight.index_add_(0, targets, exact, alpha=smoothing - 1)
    d_weight -= smoothing / weight.size(0) * exact.sum(0)
    return log_normaliser[:rows], mean_weight[:rows], d_weight


def _log_normaliser(logits: Tensor, probabilities: Tensor, words: Tensor) -> Tensor:
    """log Σ exp z [N] float32, read off any word: log Σ exp z = z_v - log p_v; words [N, 1] says which of them.

    Where any of these probabilities is rounded to 0, every row is read off its likeliest word, whose p is 1/V at least.
    """
    logit, probability = logits.gather(1, words), probabilities.gather(1, words)
    if not probability.all():
        logit, probability = logits.amax(-1, keepdim=True), probabilities.amax(-1, keepdim=True)
    return logit.float()[:, 0] - probability.float().log()[:, 0]
