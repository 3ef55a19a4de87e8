"""How fast training goes, and how long it still takes.

The first update and the first validation of a sitting may take much longer than all others, since kernels are compiled
and loaded in them. So neither tells the time left.
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
        self._validation: float | None = None
        self._has_begun = False
        self._start_again()

    def seconds(self) -> float:
        """Seconds of training, earlier sittings and validations included."""
        return time.perf_counter() - self._origin

    def add(self, tokens: int) -> None:
        """Counts one more update, with the target tokens that it had."""
        self._tokens += tokens
        if self._has_begun:
            self._updates += 1
        else:
            self._has_begun = True
            self._pace_since = time.perf_counter()

    def validation(self, work: Callable[[], None]) -> float:
        """Does `work` outside the clock of tokens a second → the seconds that it took."""
        before = time.perf_counter()
        work()
        taken = time.perf_counter() - before
        self._since += taken
        self._pace_since += taken
        self._validation = 0.0 if self._validation is None else taken
        return taken

    def speed(self) -> float:
        """Target tokens a second since the last call; starts the next span."""
        now = time.perf_counter()
        if self._updates:
            pace = (now - self._pace_since) / self._updates
            self._pace = pace if self._pace is None else RECENT * pace + (1 - RECENT) * self._pace
        speed = self._tokens / max(1e-9, now - self._since)
        self._start_again()
        return speed

    def remaining(self, updates: int, validations: int) -> float | None:
        """Seconds for so many more updates and validations at the recent pace.

        None before the first report of more than the sitting's first update. Until there has been a second validation,
        the time of validations is left out.
        """
        return None if self._pace is None else updates * self._pace + validations * (self._validation or 0.0)

    def _start_again(self) -> None:
        self._updates = self._tokens = 0
        """Updates, without the sitting's first one, and tokens since the last report."""
        self._since = self._pace_since = time.perf_counter()
