"""When a run ends: at the first of its limits, or once it has stopped learning."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from polyhead.training.config import TrainingConfig

Judged = tuple[int, float]
"""An update, and the validation score of its weights, larger being better."""
FEWEST = 4
"""Validations that each half of a comparison needs: a single one is mostly noise."""


@dataclass(frozen=True)
class Ending:
    """When a run ends, and when its end begins: the updates in which the learning rate falls, if it does."""

    max_updates: int
    max_epochs: int | None = None
    minutes: float | None = None
    min_delta: float | None = None
    decay: float = 0.0
    """The share of the run in which the learning rate falls."""
    seconds: float | None = None
    """What there is of `minutes` for the updates and their validations."""

    @classmethod
    def of(cls, config: TrainingConfig, seconds: float | None) -> "Ending":
        """What a recipe says of it."""
        decay = config.schedule.decay if config.schedule.kind == "wsd" else 0.0
        return cls(config.max_updates, config.max_epochs, config.minutes, config.min_delta, decay, seconds)

    @property
    def limits(self) -> dict[str, float | None]:
        """The recipe's keys that decide the end, which a resumed run may set anew."""
        return {name: getattr(self, name) for name in ("max_updates", "max_epochs", "minutes", "min_delta")}

    @property
    def stable(self) -> float:
        """The share of the run before its end."""
        return 1 - self.decay

    def used(self, update: int, epoch: int, seconds: float) -> float:
        """The share of the run that is over, from 0 on, by the limit that is nearest."""
        shares = [update / self.max_updates]
        if self.max_epochs is not None:
            shares.append(epoch / self.max_epochs)
        if self.seconds is not None:
            shares.append(seconds / self.seconds)
        return max(shares)

    def expected(self, update: int, epoch: int, seconds: float) -> int:
        """The last update by the limit that is nearest."""
        used = self.used(update, epoch, seconds)
        return max(update, min(self.max_updates, round(update / used) if used else self.max_updates))

    def last_after(self, update: int) -> int:
        """The last update of a run whose end begins after this one."""
        return min(self.max_updates, math.ceil(update / self.stable))

    def has_stopped_learning(self, history: Sequence[Judged]) -> bool:
        """Whether the newest quarter of all updates was no better than the quarter before it, or hardly.

        history: the validations so far, oldest first
        """
        if self.min_delta is None or not history:
            return False
        newest = history[-1][0]
        earlier = [score for update, score in history if newest / 2 < update <= 3 * newest / 4]
        later = [score for update, score in history if update > 3 * newest / 4]
        if min(len(earlier), len(later)) < FEWEST:
            return False
        before = fmean(earlier)
        return fmean(later) - before < self.min_delta * abs(before)
