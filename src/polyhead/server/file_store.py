"""Translated files until somebody fetches them: in memory, under names that nobody can guess, for a while."""

import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from polyhead.server.problems import Problem
from polyhead.server.settings import ServerConfig

_UNSAFE = re.compile(r"[^\w.\- ]+")
_LONGEST_NAME = 100


@dataclass(frozen=True)
class KeptFile:
    """A translated file."""

    name: str
    """What whoever fetches it should call it."""
    content: bytes
    expires: float
    """By the store's clock."""


class FileStore:
    """Translated files by their keys, the newest of them; gone with the process. Safe to use from several threads."""

    def __init__(self, config: ServerConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, KeptFile] = OrderedDict()
        self._at_work = 0

    def add(self, name: str, content: bytes) -> str:
        """Keeps a file; → its key, which ends in its name. The oldest go until the rest fits; the newest stays."""
        safe = _safe(name)
        key = f"{secrets.token_urlsafe(24)}.{safe}"
        with self._lock:
            self._kept[key] = KeptFile(safe, content, self._clock() + self._config.file_seconds)
            self._expire()
            while len(self._kept) > 1 and (len(self._kept) > self._config.max_files or self._is_over()):
                self._kept.popitem(last=False)
        return key

    def get(self, key: str) -> KeptFile:
        """The file of this key. Raises Problem not_found."""
        with self._lock:
            self._expire()
            if key not in self._kept:
                raise Problem("not_found", "there is no such file, or no longer; translate it again")
            return self._kept[key]

    @contextmanager
    def working(self) -> Generator[None]:
        """While a file is being translated. Raises Problem queue_full where as many are as may be."""
        with self._lock:
            if self._at_work >= self._config.max_files_at_once:
                raise Problem(
                    "queue_full",
                    f"{self._at_work} files are being translated already; try again in a minute",
                    headers={"Retry-After": "60"},
                )
            self._at_work += 1
        try:
            yield
        finally:
            with self._lock:
                self._at_work -= 1

    def clear(self) -> None:
        """Forgets all files."""
        with self._lock:
            self._kept.clear()

    def _expire(self) -> None:
        now = self._clock()
        for key in [key for key, kept in self._kept.items() if kept.expires <= now]:
            del self._kept[key]

    def _is_over(self) -> bool:
        return sum(len(kept.content) for kept in self._kept.values()) > self._config.file_memory


def _safe(name: str) -> str:
    """The last part of a path without what could mean anything to a shell, a header or another system's paths."""
    last = re.split(r"[/\\]", name)[-1]
    return _UNSAFE.sub("_", last).strip(" .")[-_LONGEST_NAME:] or "file"
