"""What the softmax of a batch's logits expects, a chunk of rows at a time: the dense part of the loss's gradients.

Where a single core multiplies bfloat16 natively, it is one kernel; elsewhere, operations of PyTorch.
Shapes: N target tokens, D d_model, V vocabulary.
"""

import math

import torch
from torch import Tensor, nn

from polyhead.hardware import cpu_features, may_use_tiles
from polyhead.kernels import expectations as kernels
from polyhead.kernels.likelihoods import LARGEST
from polyhead.kernels.panels import pack_columns, pack_rows, unpack
from polyhead.kernels.registers import PANEL
from polyhead.kernels.scratch import Scratch
from polyhead.kernels.tensors import are_for_kernels, halves, pairs

CHUNK_ROWS = 256
"""Rows of logits computed at once: few enough to stay in the cache, enough to keep the matrix product busy."""
CHUNKS_KEPT = 4
"""Chunks of probabilities kept for one product with the features: fewer, longer sums into d weight."""
ROW_STEP = 64
"""The last chunk is filled up to a multiple of this: for every new shape of a product oneDNN builds a new kernel."""


Expectations = tuple[Tensor, Tensor, Tensor]
"""log Z [N] and Σ_v p_v weight_v [N, D], float32; Σ_n (p_n - q_n) features_n [V, D], float32 or the features' dtype."""

_scratch = Scratch()


def expectations(
    features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float
) -> Expectations:
    """features [N, D], weight [V, D], targets [N], their logits [N] float32 → log Z and what p expects.

    With z = features · weightᵀ, Z = Σ_v e^z and p = e^z / Z. The third is the whole gradient of the weight: q puts
    1 - smoothing on the target and spreads the rest over all words.
    """
    found = by_kernel(features, weight, targets, target_logits, smoothing) if _has_kernel(features) else None
    return found if found is not None else by_operations(features, weight, targets, smoothing)


def _has_kernel(features: Tensor) -> bool:
    return are_for_kernels(features) and "avx512_bf16" in cpu_features()


def by_kernel(
    features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float
) -> Expectations | None:
    """None where some word is so much likelier than the target that its exponential would be cut off.

    A row's exponentials are taken of z less its target's: Z is at least about 1, and seldom large.
    """
    (rows, width), words, in_tiles = features.shape, weight.size(0), may_use_tiles()
    unit = kernels.whole_rows(in_tiles)
    x = nn.functional.pad(features, (0, -width % PANEL, 0, -rows % unit))
    shifts, totals = x.new_zeros(2, x.size(0), dtype=torch.float32)
    shifts[:rows] = target_logits
    mean_weight = torch.zeros_like(x, dtype=torch.float32)
    count, depth = -(-words // PANEL), x.size(1) + -x.size(1) % unit
    panels = pairs(_scratch.take("panels", (count, x.size(1) // 2, PANEL), torch.int32))
    across = pairs(_scratch.take("across", (x.size(1) // PANEL, count * PANEL // 2, PANEL), torch.int32))
    pack_rows(halves(weight), panels)
    pack_columns(halves(weight), across)
    mean_features = _scratch.take("mean features", (count, depth, PANEL), torch.float32).zero_().numpy()
    kernels.expectations(
        halves(x),
        panels,
        across,
        words,
        targets.numpy(),
        1 - smoothing,
        shifts.numpy(),
        totals.numpy(),
        mean_weight.numpy(),
        mean_features,
        pairs(_scratch.take("pairs", (count, kernels.CHUNK // 2, PANEL), torch.int32)),
        halves(_scratch.take("rows", (kernels.CHUNK, kernels.GROUP * PANEL), torch.bfloat16)),
        halves(_scratch.take("turned", (depth, kernels.CHUNK), torch.bfloat16)),
        in_tiles,
    )
    if not bool((totals < math.exp(LARGEST) * 0.99).all()):
        return None
    d_weight = torch.empty_like(weight, memory_format=torch.contiguous_format)
    unpack(mean_features, (smoothing / words * x.sum(0, dtype=torch.float32)).numpy(), halves(d_weight))
    return (shifts + totals.log())[:rows], mean_weight[:rows, :width], d_weight


def by_operations(features: Tensor, weight: Tensor, targets: Tensor, smoothing: float) -> Expectations:
    """Rows of zeros fill the last chunk up; they add nothing to the third result and are cut off the other two."""
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

    Where the word's probability is too small to be told from 0, off the likeliest, whose p is 1/V at least.
    """
    logit, probability = logits.gather(1, words), probabilities.gather(1, words)
    if not probability.all():
        logit, probability = logits.amax(-1, keepdim=True), probabilities.amax(-1, keepdim=True)
    return logit.float()[:, 0] - probability.float().log()[:, 0]
