"""Learning-rate schedules: update number (from 1) → learning rate."""

import math
from collections.abc import Callable
from typing import Literal

from pydantic import Field

from polyhead.config import Config
from polyhead.limits import MOST_COUNTED

Schedule = Callable[[int, int | None], float]
"""The number of an update, and the number of the run's last update once its end has begun → the learning rate."""


class ScheduleConfig(Config):
    """How the learning rate moves."""

    kind: Literal["paper", "inverse-sqrt", "cosine", "constant", "wsd"] = "paper"
    """The paper's (section 5.3, needs no peak), inverse square root, half a cosine down to 0, constant, or warm-up,
    stable, decay (Hu et al. 2024): constant until the run is about to end, whenever that is, and then straight to 0."""
    learning_rate: float = Field(default=1.0, gt=0, le=1e6)
    """The peak reached at the end of warm-up; for `paper` a factor on its own peak (warmup·d_model)^-0.5."""
    warmup: int = Field(default=4000, ge=1, le=MOST_COUNTED)
    """warmup_steps: updates over which the rate rises linearly from 0."""
    decay: float = Field(default=0.25, gt=0, lt=1)
    """For `wsd`: the share of the run, at its end, in which the rate falls."""


def build_schedule(config: ScheduleConfig, d_model: int, max_updates: int) -> Schedule:
    """The schedule named by `config.kind`; `cosine` reaches 0 at `max_updates`, `wsd` after the last update."""
    peak, warmup = config.learning_rate, config.warmup

    def paper(update: int, last: int | None) -> float:
        """d_model^-0.5 · min(update^-0.5, update · warmup^-1.5) (equation 3)."""
        return peak * d_model**-0.5 * min(update**-0.5, update * warmup**-1.5)

    def inverse_sqrt(update: int, last: int | None) -> float:
        return peak * min((update / warmup) ** -0.5, update / warmup)

    def cosine(update: int, last: int | None) -> float:
        progress = min(1.0, max(0.0, (update - warmup) / max(1, max_updates - warmup)))
        return peak * min(1.0, update / warmup) * 0.5 * (1 + math.cos(math.pi * progress))

    def constant(update: int, last: int | None) -> float:
        return peak * min(1.0, update / warmup)

    def wsd(update: int, last: int | None) -> float:
        rate = constant(update, last)
        return rate if last is None else rate * min(1.0, max(0.0, (last + 1 - update) / (config.decay * last)))

    schedules: dict[str, Schedule] = {
        "paper": paper,
        "inverse-sqrt": inverse_sqrt,
        "cosine": cosine,
        "constant": constant,
        "wsd": wsd,
    }
    return schedules[config.kind]
