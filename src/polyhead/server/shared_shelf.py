"""A shelf in a directory, on which all worker processes of a server keep and find the same values.

Each value is a file, pickled, which appears whole or not at all, and whose time is that of its last use. The directory
must belong to nobody else: what is read from it is trusted.
"""

import hashlib
import os
import pickle
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Generic, cast

from polyhead.server.shelf import REMEMBERED, Limits, Value

_GONE = ".gone"
"""How the names of empty files end that stand for values that are gone."""
_AT_HAND = 2
"""Values that this process keeps in memory as well: the parts of a trace are asked for one after the other."""


class SharedShelf(Generic[Value]):
    """A shelf in a directory; safe to use from several processes, and their threads."""

    def __init__(self, folder: Path, limits: Limits, clock: Callable[[], float] = time.time) -> None:
        """clock: seconds since 1970"""
        self._folder = folder
        self._limits = limits
        self._clock = clock
        self._lock = Lock()
        self._at_hand: OrderedDict[str, Value] = OrderedDict()
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def nbytes(self) -> int:
        """The bytes that all values together take on the disk."""
        return sum(size for _, size, _ in self._files())

    def put(self, key: str, value: Value, nbytes: int) -> None:
        """Keeps a value; older ones go until the rest fits."""
        del nbytes  # what it takes in its file counts
        place = self._place(key)
        temporary = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
        try:
            temporary.write_bytes(pickle.dumps(value, protocol=5))
            self._touch(temporary)
            temporary.replace(place)
        except BaseException:  # the disk is full: nobody would count or delete what is there of it
            temporary.unlink(missing_ok=True)
            raise
        self._remember(key, value)
        self._make_room(place)

    def get(self, key: str, *, renew: bool = False) -> Value | None:
        """The value of a key; None where there is none, or it is gone. renew: whether its time starts anew"""
        place = self._place(key)
        try:
            if place.stat().st_mtime + self._limits.seconds <= self._clock():
                self._drop(place)
                return None
            with self._lock:
                known = self._at_hand.get(key)
            value = known if known is not None else cast(Value, pickle.loads(place.read_bytes()))
            if renew:
                self._touch(place)
        except FileNotFoundError:  # never there, or another process has just deleted it
            return None
        self._remember(key, value)
        return value

    def delete(self, key: str) -> bool:
        """Lets go of a value → whether it was there."""
        return self._drop(self._place(key))

    def was_there(self, key: str) -> bool:
        """Whether the key had a value that is gone now."""
        return self._place(key).with_suffix(_GONE).exists()

    def clear(self) -> None:
        """Lets go of what this process has in memory: the directory is deleted by who made it."""
        with self._lock:
            self._at_hand.clear()

    def _place(self, key: str) -> Path:
        """The file of a key, whatever characters it has."""
        return self._folder / hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()

    def _touch(self, path: Path) -> None:
        now = self._clock()
        os.utime(path, (now, now))

    def _remember(self, key: str, value: Value) -> None:
        with self._lock:
            self._at_hand[key] = value
            self._at_hand.move_to_end(key)
            while len(self._at_hand) > _AT_HAND:
                self._at_hand.popitem(last=False)

    def _files(self) -> list[tuple[float, int, Path]]:
        """Time, size and path of each value, the oldest first."""
        found: list[tuple[float, int, Path]] = []
        for path in self._folder.iterdir():
            if not path.name.startswith(".") and not path.suffix:
                with suppress(FileNotFoundError):
                    state = path.stat()
                    found.append((state.st_mtime, state.st_size, path))
        return sorted(found, key=lambda each: each[0])

    def _make_room(self, newest: Path) -> None:
        files = self._files()
        total, count, now = sum(size for _, size, _ in files), len(files), self._clock()
        most = self._limits.entries
        for modified, size, path in files:
            expired = modified + self._limits.seconds <= now
            is_over = total > self._limits.nbytes or (most is not None and count > most)
            if path == newest or not (expired or is_over):
                continue
            self._drop(path)
            total, count = total - size, count - 1
        gone = sorted(self._folder.glob(f"*{_GONE}"), key=_modified)
        for path in gone[: max(0, len(gone) - REMEMBERED)]:
            path.unlink(missing_ok=True)

    def _drop(self, path: Path) -> bool:
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        path.with_suffix(_GONE).touch()
        return True


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
