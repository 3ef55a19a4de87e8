"""The traces that clients look into: kept for a while, within a budget of bytes."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from polyhead.server.problems import Problem
from polyhead.server.shelf import Shelf

if TYPE_CHECKING:
    from polyhead.inspection.traced import Trace

TraceOf: TypeAlias = "tuple[str, Trace]"
"""A model's id, and a trace of it."""


@dataclass(frozen=True)
class KeptTrace:
    """A trace, its model's id, and when it expires unless it is used."""

    id: str
    model: str
    trace: Trace
    expires: float


class TraceStore:
    """Traces by id, those used last; safe to use from several threads."""

    def __init__(self, seconds: float, shelf: Shelf[TraceOf], clock: Callable[[], float] = time.monotonic) -> None:
        """seconds: how long a trace is kept after its last use; the shelf must be made with the same"""
        self._seconds = seconds
        self._shelf = shelf
        self._clock = clock

    @property
    def nbytes(self) -> int:
        """The bytes that all kept traces together take."""
        return self._shelf.nbytes

    def add(self, trace: Trace, model: str) -> KeptTrace:
        """Keeps a trace; older ones go until the rest fits. The newest stays, however large."""
        name = secrets.token_urlsafe(12)
        self._shelf.put(name, (model, trace), trace.nbytes)
        return KeptTrace(name, model, trace, self._clock() + self._seconds)

    def get(self, name: str) -> KeptTrace:
        """The trace of this id, which starts its time anew. Raises Problem gone or not_found."""
        found = self._shelf.get(name, renew=True)
        if found is None:
            raise self._missing(name)
        return KeptTrace(name, *found, self._clock() + self._seconds)

    def seconds_left(self, kept: KeptTrace) -> float:
        """The seconds until a trace expires, unless it is used."""
        return max(0.0, kept.expires - self._clock())

    def delete(self, name: str) -> None:
        """Forgets a trace. Raises Problem gone or not_found."""
        if not self._shelf.delete(name):
            raise self._missing(name)

    def _missing(self, name: str) -> Problem:
        if self._shelf.was_there(name):
            return Problem("gone", "this trace is no longer kept; make it again from its text")
        return Problem("not_found", "there is no such trace")
