"""How much of the time is left."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

RESERVED = 15.0
"""Seconds kept back for ending drivers and writing."""


@dataclass
class Clock:
    """Counts down from a number of seconds."""

    seconds: float
    now: Callable[[], float] = time.monotonic
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.now()

    def left(self) -> float:
        """Seconds for measuring that are left; 0 where there are none."""
        return max(0.0, self.began + self.seconds - RESERVED - self.now())

    def at_most(self, seconds: float) -> float:
        """So many, or all that are left."""
        return min(seconds, self.left())

    def passed(self) -> float:
        """Seconds since it began."""
        return self.now() - self.began
