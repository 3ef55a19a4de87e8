"""What a search does with logits on a device other than the CPU: they stay there, what is chosen comes to the CPU.

Shapes: N sentences still searched, R live rows, V vocabulary, C candidates.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

from polyhead.decoding.rules import Live, Rule
from polyhead.decoding.searchable import Best, Numbers, Sums, Values


@dataclass(frozen=True)
class OnDevice:
    """A `Distribution` by operations on whole tensors, on any device; what is chosen comes to the CPU."""

    logits: Tensor
    normalisers: Tensor
    """[R], log Σ exp of the model's logits."""

    @classmethod
    @torch.inference_mode()  # the mode in which logits are made: outside it they can't be written to
    def of(cls, logits: Tensor, rule: Rule, live: Live) -> Self:
        """The distribution that a rule leaves of the logits [R, V] of live rows; the rule writes into the logits."""
        normalisers = logits.logsumexp(-1)
        rule(logits, live)
        return cls(logits, normalisers)

    def most_probable(self) -> Numbers:
        return self.logits.argmax(-1).cpu().numpy()

    def log_probabilities(self, rows: Numbers, tokens: Numbers) -> Values:
        row, token = (torch.from_numpy(each).to(self.logits.device) for each in (rows, tokens))
        return (self.logits[row, token] - self.normalisers[row]).cpu().numpy()

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        base, start = (torch.from_numpy(each).to(self.logits.device) for each in (bases, starts))
        size, widths = self.logits.size(1), start.diff()
        inside = torch.arange(int(np.diff(starts).max(initial=0)), device=start.device)
        rows = start[:-1, None] + inside
        totals = base[:, None] + (self.logits - self.normalisers[:, None])
        grid = totals[rows.clamp(max=len(totals) - 1)]
        grid = grid.masked_fill(rows[:, :, None] >= start[1:, None, None], float("-inf")).flatten(1)
        places = largest(grid, min(count, grid.size(1)))
        spare = (0, count - places.size(1))
        found = torch.nn.functional.pad(grid.gather(1, places), spare, value=float("-inf"))
        places = torch.nn.functional.pad(places, spare)
        chosen = start[:-1, None] + (places // size).minimum(widths[:, None] - 1)
        values = self.logits[chosen, places % size] - self.normalisers[chosen]
        return chosen.cpu().numpy(), (places % size).cpu().numpy(), values.cpu().numpy(), found.cpu().numpy()


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
