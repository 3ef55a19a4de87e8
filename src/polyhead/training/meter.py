"""How fast training goes, and how long it still takes.

The first updates and the first validation take longer than all others, since kernels are compiled and loaded in them.
So the time left is not told by them once there are others.
"""

import time
from collections.abc import Callable

RECENT = 0.5
"""The share of the newest report in the pace that tells the time left; the rest is older reports."""


class Meter:
    """The clocks of one sitting. Speed is that of training alone; validation is clocked apart."""

    def __init__(self, seconds_before: float) -> None:
        """seconds_before: what earlier sittings took."""
        self._origin = time.perf_counter() - seconds_before
        self._pace: float | None = None
        self._reports = 0
        self._validation: float | None = None
        self._start_again()

    def seconds(self) -> float:
        """Seconds of training, earlier sittings and validations included."""
        return time.perf_counter() - self._origin

    def add(self, tokens: int) -> None:
        """Counts one more update, with the target tokens that it had."""
        self._updates += 1
        self._tokens += tokens

    def validation(self, work: Callable[[], None]) -> float:
        """Does `work` outside the clock of tokens a second → the seconds that it took."""
        before = time.perf_counter()
        work()
        taken = time.perf_counter() - before
        self._since += taken
        self._validation = 0.0 if self._validation is None else taken
        return taken

    def speed(self) -> float:
        """Target tokens a second since the last call; starts the next span."""
        elapsed = max(1e-9, time.perf_counter() - self._since)
        pace = elapsed / max(1, self._updates)
        self._pace = pace if self._pace is None or self._reports == 1 else RECENT * pace + (1 - RECENT) * self._pace
        self._reports += 1
        speed = self._tokens / elapsed
        self._start_again()
        return speed

    def remaining(self, updates: int, validations: int) -> float | None:
        """Seconds for so many more updates and validations at the recent pace; None before the first report.

        Until there has been a second validation, the time of validations is left out.
        """
        return None if self._pace is None else updates * self._pace + validations * (self._validation or 0.0)

    def _start_again(self) -> None:
        self._updates = self._tokens = 0
        self._since = time.perf_counter()
