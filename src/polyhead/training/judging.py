"""Validation as the training loop knows it: each process judges a part, and the parts together give the scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

Weights = Mapping[str, Tensor]


@dataclass(frozen=True)
class Part:
    """What a process has found out about its part of the dev set."""

    losses: Mapping[int, float]
    """Number of a batch → the sum of its target tokens' log-probabilities, in nats."""
    outputs: Mapping[int, str]
    """Number of a sentence → its translation."""


class Judge(Protocol):
    """Scores weights on the dev set."""

    def part(self, weights: Weights) -> Part:
        """Judges weights on this process's part of the dev set, which may be all of it."""
        ...

    def scores(self, parts: Sequence[Part]) -> dict[str, float]:
        """The parts of all processes → dev_loss, dev_bleu, dev_chrf …, the same for any number of processes."""
        ...
