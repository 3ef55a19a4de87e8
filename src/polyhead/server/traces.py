"""The traces that clients look into: kept for a while, within a budget of bytes."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyhead.server.problems import Problem

if TYPE_CHECKING:
    from polyhead.inspection.traced import Trace

_REMEMBERED = 10_000
"""So many traces that were given up are told apart from those that never were."""


@dataclass(frozen=True)
class KeptTrace:
    """A trace, whose model it is, and when it expires unless it is used."""

    id: str
    model: str
    trace: Trace
    expires: float


class TraceStore:
    """Traces by id, those used last; safe to use from several threads."""

    def __init__(self, budget: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget = budget
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, KeptTrace] = OrderedDict()
        self._gone: OrderedDict[str, None] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """The memory of all traces kept."""
        with self._lock:
            return self._total()

    def add(self, trace: Trace, model: str) -> KeptTrace:
        """Keeps a trace; older ones go until the rest fits. The newest stays, however large."""
        kept = KeptTrace(secrets.token_urlsafe(12), model, trace, self._clock() + self._seconds)
        with self._lock:
            self._kept[kept.id] = kept
            self._expire()
            while len(self._kept) > 1 and self._total() > self._budget:
                self._drop(next(iter(self._kept)))
        return kept

    def get(self, name: str) -> KeptTrace:
        """The trace of this id, which starts its time anew. Raises Problem gone or not_found."""
        with self._lock:
            self._expire()
            kept = self._kept.pop(name, None)
            if kept is None:
                raise self._missing(name)
            renewed = KeptTrace(kept.id, kept.model, kept.trace, self._clock() + self._seconds)
            self._kept[name] = renewed
            return renewed

    def seconds_left(self, kept: KeptTrace) -> float:
        """Until it expires, unless it is used."""
        return max(0.0, kept.expires - self._clock())

    def delete(self, name: str) -> None:
        """Forgets a trace. Raises Problem gone or not_found."""
        with self._lock:
            if name not in self._kept:
                raise self._missing(name)
            self._drop(name)

    def _missing(self, name: str) -> Problem:
        if name in self._gone:
            return Problem("gone", "this trace is no longer kept; make it again from its text")
        return Problem("not_found", "there is no such trace")

    def _expire(self) -> None:
        """The oldest use stands first, so the rest is younger than the first that is still good."""
        now = self._clock()
        for name, kept in list(self._kept.items()):
            if kept.expires > now:
                return
            self._drop(name)

    def _drop(self, name: str) -> None:
        del self._kept[name]
        self._gone[name] = None
        if len(self._gone) > _REMEMBERED:
            self._gone.popitem(last=False)

    def _total(self) -> int:
        return sum(kept.trace.nbytes for kept in self._kept.values())
