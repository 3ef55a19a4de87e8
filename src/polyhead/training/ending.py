"""When a run ends: at the first of its limits, or once it has stopped learning."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from polyhead.training.config import TrainingConfig

Judged = tuple[int, float]
"""An update, and the validation score of its weights, larger being better."""
FEWEST = 6
"""Validations that each half of a comparison needs: a single one is mostly noise."""


@dataclass(frozen=True)
class Budget:
    """The time that a run may take, and what of it goes to other things than updates and their validations."""

    seconds: float
    """All the seconds that the run may take."""
    before: float
    """Seconds until the first update, or until the first one after resuming."""
    final: float
    """How many validations take as long as scoring the finished model does."""

    def left(self, validation: float) -> float:
        """The seconds for updates and validations, one of which takes `validation` seconds."""
        return max(1.0, self.seconds - self.before - self.final * validation)


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
    """The seconds of `minutes` that are left for updates and their validations; None: there is no such limit."""

    @classmethod
    def of(cls, config: TrainingConfig, seconds: float | None) -> "Ending":
        """The ending that a recipe asks for; `seconds` as in the field."""
        decay = config.schedule.decay if config.schedule.kind == "wsd" else 0.0
        return cls(config.max_updates, config.max_epochs, config.minutes, config.min_delta, decay, seconds)

    @property
    def limits(self) -> dict[str, float | None]:
        """The recipe's keys that decide the end, which a resumed run may set anew."""
        found = {name: getattr(self, name) for name in ("max_updates", "max_epochs", "minutes", "min_delta")}
        return {name: None if value is None else float(value) for name, value in found.items()}

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
        """The last update of a run whose end begins after the given update."""
        return min(self.max_updates, math.ceil(update / self.stable))

    def advice(self, history: Sequence[Judged], update: int) -> str:
        """What to say of a run that has come to a limit after so many updates while it was still learning."""
        if self.min_delta is None or self.has_stopped_learning(history):
            return ""
        reached, more = "training.max_updates", 2 * self.max_updates
        if update < self.max_updates and self.minutes is not None:
            reached, more = "training.minutes", math.ceil(2 * self.minutes)
        elif update < self.max_updates and self.max_epochs is not None:
            reached, more = "training.max_epochs", 2 * self.max_epochs
        return f"it was still learning when it came to {reached}; to go on: --resume --{reached} {more}"

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
