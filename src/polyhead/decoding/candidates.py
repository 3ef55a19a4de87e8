"""Candidates of a beam step, and the exact, deterministic choice of the best ones.

Shapes: N sentences still searched, R live rows, V vocabulary, C candidates.
"""

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

CHUNK = 64
"""Tokens whose maximum is looked at first; it is fastest for this many."""


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

    Ties go to the lower token. It is several times faster than `torch.topk` for a large V: the k best tokens lie in the
    k chunks of the vocabulary with the best maxima, so only those chunks are ranked.
    """
    chunks = largest(chunk_maxima(scores), k).sort(1).values
    rows = torch.arange(len(scores), device=scores.device)[:, None].expand_as(chunks)
    values, tokens = in_chunks(scores, rows, chunks)
    best = largest(values, min(k, scores.size(1)))
    return values.gather(1, best), tokens.gather(1, best)


def chunk_maxima(scores: Tensor) -> Tensor:
    """scores [R, V] → [R, chunks], the best of each chunk of the vocabulary."""
    whole = scores.size(1) // CHUNK * CHUNK
    maxima = scores[:, :whole].view(len(scores), -1, CHUNK).amax(-1)
    if whole == scores.size(1):
        return maxima
    return torch.cat([maxima, scores[:, whole:].amax(-1, keepdim=True)], dim=1)


def in_chunks(scores: Tensor, rows: Tensor, chunks: Tensor) -> tuple[Tensor, Tensor]:
    """scores [R, V], rows and chunks [N, C] → those chunks' values and tokens, [N, C · CHUNK], -inf beyond the last."""
    size = scores.size(1)
    tokens = (chunks[:, :, None] * CHUNK + torch.arange(CHUNK, device=scores.device)).flatten(1)
    places = tokens + (rows * size).repeat_interleave(CHUNK, 1)
    if size % CHUNK == 0:
        return scores.take(places), tokens
    return scores.take(places.clamp(max=scores.numel() - 1)).masked_fill_(tokens >= size, float("-inf")), tokens


def largest(scores: Tensor, k: int) -> Tensor:
    """scores [N, M] → [N, at most k] int64, the places of the k largest, best first, ties by the lower place.

    `torch.topk` promises nothing about ties. They are rare, so the rows that have one are sorted once more.
    """
    if k >= scores.size(1):
        return scores.sort(dim=1, descending=True, stable=True).indices
    values, places = scores.topk(k + 1, dim=1)
    tied = (values[:, 1:] == values[:, :-1]).any(1)
    places = places[:, :k]
    if tied.any():
        rows = tied.nonzero()[:, 0]
        places[rows] = scores[rows].sort(dim=1, descending=True, stable=True).indices[:, :k]
    return places
