"""Learning-rate schedules: update number (from 1) → learning rate."""

import math
from collections.abc import Callable
from typing import Literal

from pydantic import Field

from polyhead.config import Config
from polyhead.limits import MOST_COUNTED

Schedule = Callable[[int], float]


class ScheduleConfig(Config):
    """How the learning rate moves."""

    kind: Literal["paper", "inverse-sqrt", "cosine", "constant"] = "paper"
    """The paper's (section 5.3, needs no peak), inverse square root, half a cosine down to 0, or constant."""
    learning_rate: float = Field(default=1.0, gt=0, le=1e6)
    """The peak reached at the end of warm-up; for `paper` a factor on its own peak (warmup·d_model)^-0.5."""
    warmup: int = Field(default=4000, ge=1, le=MOST_COUNTED)
    """warmup_steps: updates over which the rate rises linearly from 0."""


def build_schedule(config: ScheduleConfig, d_model: int, max_updates: int) -> Schedule:
    """The schedule named by `config.kind`; `cosine` reaches 0 at `max_updates`."""
    peak, warmup = config.learning_rate, config.warmup

    def paper(update: int) -> float:
        """d_model^-0.5 · min(update^-0.5, update · warmup^-1.5) (equation 3)."""
        return peak * d_model**-0.5 * min(update**-0.5, update * warmup**-1.5)

    def inverse_sqrt(update: int) -> float:
        return peak * min((update / warmup) ** -0.5, update / warmup)

    def cosine(update: int) -> float:
        progress = min(1.0, max(0.0, (update - warmup) / max(1, max_updates - warmup)))
        return peak * min(1.0, update / warmup) * 0.5 * (1 + math.cos(math.pi * progress))

    def constant(update: int) -> float:
        return peak * min(1.0, update / warmup)

    schedules: dict[str, Schedule] = {
        "paper": paper,
        "inverse-sqrt": inverse_sqrt,
        "cosine": cosine,
        "constant": constant,
    }
    return schedules[config.kind]
