"""What a search does with a step's logits: log-probabilities, and the exact, deterministic choice of the best.

Shapes: N sentences still searched, R live rows, V vocabulary, C candidates.
"""

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from polyhead.kernels import vocabulary


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


def log_softmax(logits: Tensor) -> Tensor:
    """logits [R, V] → log-probabilities [R, V] float32, on a CPU in place."""
    logits = logits.float()
    if logits.device.type != "cpu":
        return logits.log_softmax(-1)
    logits = logits.contiguous()
    vocabulary.log_softmax(logits.numpy(), logits.numpy())
    return logits


def most_probable(scores: Tensor) -> Tensor:
    """scores [R, V] float32 → [R] int64, the first of each row's largest."""
    if scores.device.type != "cpu":
        return scores.argmax(-1)
    tokens = torch.empty(len(scores), dtype=torch.int64)
    vocabulary.most_probable(scores.contiguous().numpy(), tokens.numpy())
    return tokens


def best_tokens(scores: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """scores [R, V] float32 → the k best of every row, values [R, k] and tokens [R, k], best first.

    Ties go to the lower token.
    """
    rows = torch.arange(len(scores) + 1, device=scores.device)
    bases = torch.zeros(len(scores), dtype=torch.float64, device=scores.device)
    _, tokens, _ = best_continuations(scores, bases, rows, min(k, scores.size(1)))
    return scores.gather(1, tokens), tokens


def best_continuations(scores: Tensor, bases: Tensor, starts: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Of the rows starts[n] … starts[n + 1] - 1 of scores [R, V] the `count` largest bases[r] + scores[r, v].

    bases [R] float64, starts [N + 1] → parents r, tokens v, and their totals, float64, each [N, count], best first; a
    total is -inf where a sentence has no more. Ties go to the lower row, then to the lower token.
    """
    if scores.device.type != "cpu":
        return on_grid(scores, bases, starts, count)
    parents, tokens = torch.empty(2, len(starts) - 1, count, dtype=torch.int64)
    totals = torch.empty(parents.shape, dtype=torch.float64)
    given = scores.contiguous().numpy(), bases.numpy(), starts.numpy()
    vocabulary.best_continuations(*given, parents.numpy(), tokens.numpy(), totals.numpy())
    return parents, tokens, totals


def on_grid(scores: Tensor, bases: Tensor, starts: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """`best_continuations` by operations on whole tensors, for a device that is not a CPU."""
    size, widths = scores.size(1), starts.diff()
    width = int(widths.max()) if len(widths) else 0
    rows = starts[:-1, None] + torch.arange(width, device=scores.device)
    grid = (bases[:, None] + scores)[rows.clamp(max=len(scores) - 1)]
    grid = grid.masked_fill(rows[:, :, None] >= starts[1:, None, None], float("-inf")).flatten(1)
    places = largest(grid, min(count, grid.size(1)))
    spare = (0, count - places.size(1))
    totals = torch.nn.functional.pad(grid.gather(1, places), spare, value=float("-inf"))
    places = torch.nn.functional.pad(places, spare)
    inside = (places // size).minimum(widths[:, None] - 1)
    return starts[:-1, None] + inside, places % size, totals


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
