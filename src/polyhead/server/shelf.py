"""Values that are kept for a while until somebody asks for them: under keys, within a budget, in memory."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

Value = TypeVar("Value")

REMEMBERED = 10_000
"""For how many keys it is remembered that their values are gone, which sets them apart from unknown keys."""


@dataclass(frozen=True)
class Limits:
    """How much is kept, and how long."""

    nbytes: int
    """The most bytes that all values together may take. The newest value stays, however large."""
    seconds: float
    """How long each is kept."""
    entries: int | None = None
    """The most values; None for any number."""


class Shelf(Protocol[Value]):
    """Values by keys; the oldest go first. Safe to use from several threads."""

    @property
    def nbytes(self) -> int:
        """The bytes that all values together take."""
        ...

    def put(self, key: str, value: Value, nbytes: int) -> None:
        """Keeps a value; older ones go until the rest fits."""
        ...

    def get(self, key: str, *, renew: bool = False) -> Value | None:
        """The value of a key; None where there is none, or it is gone. renew: whether its time starts anew"""
        ...

    def delete(self, key: str) -> bool:
        """Lets go of a value → whether it was there."""
        ...

    def was_there(self, key: str) -> bool:
        """Whether the key had a value that is gone now."""
        ...

    def clear(self) -> None:
        """Lets go of all values."""
        ...


@dataclass(frozen=True)
class _Kept(Generic[Value]):
    value: Value
    nbytes: int
    expires: float


class MemoryShelf(Generic[Value]):
    """A shelf in the memory of this process."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept[Value]] = OrderedDict()
        self._gone: OrderedDict[str, None] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """The bytes that all values together take."""
        with self._lock:
            return self._total()

    def put(self, key: str, value: Value, nbytes: int) -> None:
        """Keeps a value; older ones go until the rest fits."""
        with self._lock:
            self._kept[key] = _Kept(value, nbytes, self._clock() + self._limits.seconds)
            self._expire()
            most = self._limits.entries
            while len(self._kept) > 1 and (
                self._total() > self._limits.nbytes or (most is not None and len(self._kept) > most)
            ):
                self._drop(next(iter(self._kept)))

    def get(self, key: str, *, renew: bool = False) -> Value | None:
        """The value of a key; None where there is none, or it is gone. renew: whether its time starts anew"""
        with self._lock:
            self._expire()
            kept = self._kept.get(key)
            if kept is None:
                return None
            if renew:
                self._kept[key] = _Kept(kept.value, kept.nbytes, self._clock() + self._limits.seconds)
                self._kept.move_to_end(key)
            return kept.value

    def delete(self, key: str) -> bool:
        """Lets go of a value → whether it was there."""
        with self._lock:
            if key not in self._kept:
                return False
            self._drop(key)
            return True

    def was_there(self, key: str) -> bool:
        """Whether the key had a value that is gone now."""
        with self._lock:
            return key in self._gone

    def clear(self) -> None:
        """Lets go of all values."""
        with self._lock:
            self._kept.clear()

    def _expire(self) -> None:
        """Lets go of expired values. The oldest stands first, so all behind the first that is still good are good."""
        now = self._clock()
        for key, kept in list(self._kept.items()):
            if kept.expires > now:
                return
            self._drop(key)

    def _drop(self, key: str) -> None:
        del self._kept[key]
        self._gone[key] = None
        if len(self._gone) > REMEMBERED:
            self._gone.popitem(last=False)

    def _total(self) -> int:
        return sum(kept.nbytes for kept in self._kept.values())
