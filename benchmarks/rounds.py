"""Systems take turns, round by round, so that whatever else the machine does falls on all of them alike."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median
from time import monotonic

from benchmarks.conversation import DriverError

Run = Callable[[], float]


@dataclass
class Series:
    """What one system's turns gave."""

    values: list[float] = field(default_factory=list[float])
    failure: str | None = None
    """Why it takes no more turns."""
    seconds: float = 0.0
    """What its turns took, all together."""

    @property
    def median(self) -> float | None:
        """None where there is no value."""
        return median(self.values) if self.values else None

    @property
    def spread(self) -> float | None:
        """(highest − lowest) / median: how far to trust the median."""
        return (max(self.values) - min(self.values)) / median(self.values) if self.values else None


FEWEST = 2
"""Turns that everybody has, however slow."""


def alternate(
    runs: Mapping[str, Run], rounds: int, budget: float = inf, clock: Callable[[], float] = monotonic
) -> dict[str, Series]:
    """Every system once a round; whoever fails is left out from then on and keeps what it has.

    budget: seconds of turns, counted by `clock`, after which a system has had enough of them
    """
    found = {name: Series() for name in runs}
    names = list(runs)
    for number in range(rounds):
        for name in turned(names, number):
            series = found[name]
            if series.failure is not None or (series.seconds > budget and len(series.values) >= FEWEST):
                continue
            start = clock()
            try:
                series.values.append(runs[name]())
            except DriverError as error:
                series.failure = str(error)
            series.seconds += clock() - start
    return found


def steady(run: Run, seconds: float, clock: Callable[[], float] = monotonic) -> float:
    """The median of as many turns as fit into so many seconds, and of one at least: what a setting is judged by."""
    end = clock() + seconds
    values = [run()]
    while clock() < end:
        values.append(run())
    return median(values)


def turned(names: Sequence[str], number: int) -> list[str]:
    """Each round begins with another one, so that nobody always follows the same neighbour."""
    start = number % len(names) if names else 0
    return [*names[start:], *names[:start]]
