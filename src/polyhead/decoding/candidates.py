"""Candidates of a beam step, and the exact, deterministic choice of the best ones.

Shapes: N sentences still searched, R live rows, V vocabulary, C candidates.
"""

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

_CHUNK = 64


@dataclass(frozen=True)
class Candidates:
    """Live hypotheses each continued by one token; all fields have the same shape, [N, C] or flat [C]."""

    sentences: Tensor
    """int64, the sentence of the batch."""
    parents: Tensor
    """int64, the live row that is continued: an index into the previous step's live candidates."""
    tokens: Tensor
    """int64, the token it is continued with."""
    log_probabilities: Tensor
    """float32, log P(token | parent, X)."""
    totals: Tensor
    """float64, log P of the whole hypothesis; -inf for a candidate that the rules exclude."""

    def where(self, mask: Tensor) -> Self:
        """mask, bool of the fields' shape → the candidates where it is True, flat, in order."""
        places = mask.flatten().nonzero()[:, 0]
        return type(self)(
            self.sentences.flatten().index_select(0, places),
            self.parents.flatten().index_select(0, places),
            self.tokens.flatten().index_select(0, places),
            self.log_probabilities.flatten().index_select(0, places),
            self.totals.flatten().index_select(0, places),
        )


def best_tokens(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """scores [R, V] float32 → the k best of every row, values [R, k] and tokens [R, k], best first.

    Ties go to the lower token, which `torch.topk` doesn't promise; and it is several times faster for a large V: the k
    best tokens lie in the k chunks of the vocabulary with the best maxima, so only those chunks are ranked.
    """
    size = scores.size(1)
    chunks = -(-size // _CHUNK)
    if chunks <= k:
        tokens = _ranked(scores, torch.arange(size, device=scores.device).expand_as(scores), k)
        return scores.gather(1, tokens), tokens
    whole = size // _CHUNK * _CHUNK
    maxima = scores[:, :whole].reshape(-1, whole // _CHUNK, _CHUNK).amax(-1)
    if whole < size:
        maxima = torch.cat([maxima, scores[:, whole:].amax(-1, keepdim=True)], dim=1)
    best = _ranked(maxima, torch.arange(chunks, device=scores.device).expand_as(maxima), k)
    places = (best[:, :, None] * _CHUNK + torch.arange(_CHUNK, device=scores.device)).flatten(1)
    values = scores.gather(1, places.clamp(max=size - 1)).masked_fill_(places >= size, float("-inf"))
    tokens = _ranked(values, places, k)
    return scores.gather(1, tokens), tokens


def _ranked(scores: Tensor, numbers: Tensor, k: int) -> Tensor:
    """scores and numbers [R, C] → [R, k], the numbers of the k best scores, ties by the lower number.

    A float's bits, the negative ones flipped, order as integers do; with the number below them one top-k on whole
    integers is exact where two scores are equal.
    """
    bits = (scores + 0.0).view(torch.int32)  # + 0.0 turns -0.0 into 0.0, which must tie with it
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    keys = (ordered.long() << 32) | (0xFFFFFFFF - numbers)
    return 0xFFFFFFFF - (keys.topk(min(k, scores.size(1)), dim=1).values & 0xFFFFFFFF)
