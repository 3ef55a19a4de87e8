"""What the softmax of a batch's logits expects, a chunk of rows at a time: the dense part of the loss's gradients.

On a single core kernels compute it, in float32 or where it multiplies bfloat16 natively; else operations of PyTorch.
Shapes: N target tokens, D d_model, V vocabulary.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn

from polyhead.hardware import may_use_tiles
from polyhead.kernels.arrays.scratch import Scratch
from polyhead.kernels.arrays.tensors import are_on_one_core, floats, halves, pairs
from polyhead.kernels.factors.panels import pack_columns, pack_rows, unpack
from polyhead.kernels.factors.whole_numbers import PAIRED
from polyhead.kernels.linear import gemm_in_bytes
from polyhead.kernels.linear.gemm_in_vectors import may_multiply
from polyhead.kernels.loss import expectations as kernels
from polyhead.kernels.loss import expectations_in_bytes as in_bytes
from polyhead.kernels.loss import expectations_in_float32 as real
from polyhead.kernels.loss import expectations_in_integers as integers
from polyhead.kernels.loss import expectations_in_tiles as tiled
from polyhead.kernels.numbers.exponential import LARGEST
from polyhead.kernels.precision import bits_kept
from polyhead.kernels.sums.finish import BLOCK
from polyhead.kernels.sums.registers import ADDS_PAIRS, DOWN, PANEL
from polyhead.kernels.sums.vector_sums import WIDTH

CHUNK_ROWS = 256
"""Rows of logits computed at once: few enough to stay in the cache, enough to keep the matrix product busy."""
CHUNKS_KEPT = 4
"""Chunks of probabilities kept for one product with the features: fewer, longer sums into d weight."""
ROW_STEP = 64
"""The last chunk is filled up to a multiple of this: for every new shape of a product oneDNN builds a new kernel."""
BYTES_KEPT = 1 << 27
"""Of exponentials; more rows than have so many are taken in parts, as if they were shares of a batch."""

Expectations = tuple[Tensor, Tensor, Tensor]
"""log Z [N] and Σ_v p_v weight_v [N, D], float32; Σ_n (p_n - q_n) features_n [V, D], float32 or the features' dtype."""
_Sums = tuple[Tensor, Tensor, Tensor]
"""The same, but the first is Z."""

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
    if features.dtype == torch.float32:
        return are_on_one_core(features) and features.size(1) % WIDTH == 0 and may_multiply()
    return are_on_one_core(features) and ADDS_PAIRS


def by_kernel(
    features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float
) -> Expectations | None:
    """None where some word is so much likelier than the target that its exponential would be cut off.

    A row's exponentials are taken of z less its target's: Z is at least about 1, and seldom large.
    Raises IndexError for a target that is not one of the V words, ValueError where there is not one for each row.
    """
    _check(targets, features.size(0), weight.size(0))
    largest = integers.LARGEST if _are_rounded(features) else LARGEST
    if features.dtype == torch.float32:
        kernel = _in_float32
    else:
        kernel = _in_parts if may_use_tiles() and features.size(1) % BLOCK == 0 else _in_vectors
    totals, mean_weight, d_weight = kernel(features, weight, targets, target_logits, smoothing)
    if not bool((totals < math.exp(largest) * 0.99).all()):
        return None
    return target_logits + totals.log(), mean_weight, d_weight


def _check(targets: Tensor, rows: int, words: int) -> None:
    if targets.shape != (rows,):
        raise ValueError(f"{rows} rows of features, but targets of shape {tuple(targets.shape)}: give one for each row")
    if rows and not 0 <= int(targets.amin()) <= int(targets.amax()) < words:
        raise IndexError(f"targets {int(targets.amin())} … {int(targets.amax())}, but the vocabulary has {words} words")


def _in_parts(features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float) -> _Sums:
    """In tiles, as many rows at once as exponentials may be kept of."""
    most = max(BLOCK, BYTES_KEPT // (2 * weight.size(0)))
    parts = [x.chunk(-(-len(targets) // most)) for x in (features, targets, target_logits)]
    found = [_in_tiles(x, weight, words, logits, smoothing) for x, words, logits in zip(*parts, strict=True)]
    if len(found) == 1:
        return found[0]
    totals, mean_weight, d_weight = zip(*found, strict=True)
    return torch.cat(totals), torch.cat(mean_weight), torch.stack(d_weight).sum(0, dtype=torch.float32)


def _in_tiles(features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float) -> _Sums:
    (words, width), known = weight.shape, len(targets)
    rows = tiled.whole_rows(known)
    x = nn.functional.pad(features, (0, 0, 0, rows - known))
    beside, totals = torch.zeros(rows, tiled.SEEN), torch.empty(rows)
    beside[:known, 0] = target_logits
    mean_weight, d_weight = torch.empty(known, width), weight.new_empty(words, width)
    room = tiled.Room(
        halves(_scratch.take("exponentials", (-(-words // BLOCK), rows, BLOCK), torch.bfloat16)),
        _scratch.take("sums", (rows // BLOCK, width // BLOCK, BLOCK, BLOCK), torch.float32).numpy(),
        halves(_scratch.take("features", (rows, width), torch.bfloat16)),
        _scratch.take("squares", (tiled.room_for(rows, width),), torch.uint8).numpy(),
    )
    tiled.expectations(
        halves(x),
        halves(weight),
        targets.numpy(),
        1 - smoothing,
        smoothing / words,
        beside.numpy(),
        totals.numpy(),
        mean_weight.numpy(),
        halves(d_weight),
        room,
    )
    return totals[:known], mean_weight, d_weight


def _in_vectors(features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float) -> _Sums:
    (rows, width), words = features.shape, weight.size(0)
    x = nn.functional.pad(features, (0, -width % PANEL, 0, -rows % DOWN))
    shifts, totals = x.new_zeros(2, x.size(0), dtype=torch.float32)
    shifts[:rows] = target_logits
    mean_weight = torch.zeros_like(x, dtype=torch.float32)
    count, depth = -(-words // PANEL), x.size(1) + -x.size(1) % DOWN
    across = pairs(_scratch.take("across", (x.size(1) // PANEL, count * PANEL // 2, PANEL), torch.int32))
    pack_columns(halves(weight), across)
    mean_features = _scratch.take("mean features", (count, depth, PANEL), torch.float32).zero_().numpy()
    of_pairs, of_rows, turned = kernels.shapes(count, depth)
    room = kernels.Room(
        pairs(_scratch.take("pairs", of_pairs, torch.int32)),
        halves(_scratch.take("rows", of_rows, torch.bfloat16)),
        halves(_scratch.take("turned", turned, torch.bfloat16)),
    )
    asked = kernels.Asked(words, targets.numpy(), 1 - smoothing, shifts.numpy())
    found = kernels.Found(totals.numpy(), mean_weight.numpy(), mean_features)
    if _are_bytes(features):
        bytes_ = _scratch.take("bytes", (in_bytes.room_for(x.size(0), width, words),), torch.uint8).numpy()
        in_bytes.expectations(halves(x), halves(weight), across, asked, found, room, bytes_)
    else:
        panels = pairs(_scratch.take("panels", (count, x.size(1) // 2, PANEL), torch.int32))
        pack_rows(halves(weight), panels)
        kernels.expectations(halves(x), panels, across, asked, found, room)
    d_weight = torch.empty_like(weight, memory_format=torch.contiguous_format)
    unpack(mean_features, (smoothing / words * x.sum(0, dtype=torch.float32)).numpy(), halves(d_weight))
    return totals[:rows], mean_weight[:rows, :width], d_weight


def _are_bytes(features: Tensor) -> bool:
    """Whether logits are products of bytes."""
    return bits_kept() == 8 and features.size(1) % PANEL == 0 and gemm_in_bytes.may_multiply()


def _are_rounded(features: Tensor) -> bool:
    """Whether they are multiplied as whole numbers."""
    return features.dtype == torch.float32 and bits_kept() is not None and features.size(1) % PAIRED == 0


def _in_float32(features: Tensor, weight: Tensor, targets: Tensor, target_logits: Tensor, smoothing: float) -> _Sums:
    (rows, width), words = features.shape, weight.size(0)
    kernels: Any = integers if _are_rounded(features) else real
    shapes = kernels.shapes(words, width)
    room = kernels.Room(*(floats(_scratch.take(name, shape, torch.float32)) for name, shape in shapes.items()))
    totals, mean_weight = features.new_empty(rows), features.new_empty(rows, width)
    d_weight = weight.new_empty(weight.shape)
    kernels.expectations(
        floats(features),
        floats(weight),
        targets.numpy(),
        1 - smoothing,
        smoothing / words,
        floats(target_logits),
        floats(totals),
        floats(mean_weight),
        floats(d_weight),
        room,
    )
    return totals, mean_weight, d_weight


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
