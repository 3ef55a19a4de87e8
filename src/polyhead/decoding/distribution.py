"""What a search does with a step's logits: log-probabilities, and the exact, deterministic choice of the best.

Shapes: N sentences still searched, R live rows, V vocabulary, C candidates.
"""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.decoding.rules import Live, Rule
from polyhead.kernels import vocabulary
from polyhead.kernels.team import board_in_use
from polyhead.kernels.vocabulary import CHUNK

Numbers = NDArray[np.int64]
Sums = NDArray[np.float64]
Values = NDArray[np.float32]
Best = tuple[Numbers, Numbers, Values, Sums]
"""Rows, tokens, their log-probabilities and totals, each [N, C], best first."""


class Distribution(Protocol):
    """P(y_t | y_<t, X) of every row. The rules take tokens away; what is left keeps its probability."""

    @property
    def logits(self) -> Tensor:
        """[R, V] float32, -inf where the rules exclude a token."""
        ...

    def most_probable(self) -> Numbers:
        """[R], the first of each row's most probable tokens."""
        ...

    def log_probabilities(self, rows: Numbers, tokens: Numbers) -> Values:
        """Of some tokens, each of some row."""
        ...

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        """Of the rows starts[n] … starts[n + 1] - 1 the `count` tokens whose bases[r] + log P(token) is largest.

        bases [R], starts [N + 1]. A total is -inf where a sentence has no more. Ties go to the lower row, then to the
        lower token.
        """
        ...


def distribution(logits: Tensor, rule: Rule, live: Live) -> Distribution:
    """What the rule leaves of logits [R, V], which it writes into; live rows."""
    logits = logits.float()
    on_cpu = logits.device.type == "cpu"
    found = OnCpu.of(logits.contiguous()) if on_cpu else OnDevice(logits, logits.logsumexp(-1))
    return found.under(rule(found.logits, live))


@dataclass(frozen=True)
class OnCpu:
    """By kernels: the logits are read once, and then only where there is something to find."""

    logits: Tensor
    normalisers: NDArray[np.float32]
    """[R], log Σ exp of the model's logits: log P = logit - normaliser."""
    peaks: NDArray[np.float32]
    """[R, V / CHUNK], what no logit of a chunk is above."""

    @classmethod
    def of(cls, logits: Tensor) -> Self:
        """logits [R, V] float32, contiguous."""
        rows, size = logits.shape
        normalisers, peaks = np.empty(rows, np.float32), np.empty((rows, -(-size // CHUNK)), np.float32)
        vocabulary.survey(logits.numpy(), normalisers, peaks, board_in_use())
        return cls(logits, normalisers, peaks)

    def under(self, logits: Tensor) -> Self:
        """The same with the logits that a rule has left: they may be -inf, but not higher than they were."""
        return type(self)(logits.contiguous(), self.normalisers, self.peaks)

    def most_probable(self) -> Numbers:
        tokens = np.empty(len(self.peaks), np.int64)
        vocabulary.most_probable(self.logits.numpy(), self.peaks, tokens)
        return tokens

    def log_probabilities(self, rows: Numbers, tokens: Numbers) -> Values:
        return self.logits.numpy()[rows, tokens] - self.normalisers[rows]

    def best_continuations(self, bases: Sums, starts: Numbers, count: int) -> Best:
        size = len(starts) - 1, count
        rows, tokens = np.empty(size, np.int64), np.empty(size, np.int64)
        values, totals = np.empty(size, np.float32), np.empty(size)
        given = self.logits.numpy(), self.normalisers, self.peaks, bases, starts
        vocabulary.best_continuations(*given, rows, tokens, values, totals)
        return rows, tokens, values, totals


@dataclass(frozen=True)
class OnDevice:
    """By operations on whole tensors, on any device; what is chosen comes to the CPU."""

    logits: Tensor
    normalisers: Tensor
    """[R], log Σ exp of the model's logits."""

    def under(self, logits: Tensor) -> Self:
        """The same with the logits that a rule has left."""
        return type(self)(logits, self.normalisers)

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
