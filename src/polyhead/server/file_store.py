"""Translated files until somebody fetches them: under names that nobody can guess, for a while."""

import re
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from polyhead.server.problems import Problem
from polyhead.server.settings import ServerConfig
from polyhead.server.shelf import Limits, MemoryShelf, Shelf

_UNSAFE = re.compile(r"[^\w.\- ]+")
_LONGEST_NAME = 100
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class KeptFile:
    """A translated file."""

    name: str
    """The name by which a client should save the file."""
    content: bytes


class FileStore:
    """Translated files by their keys, the newest of them. Safe to use from several threads."""

    def __init__(self, config: ServerConfig, shelf: Shelf[KeptFile] | None = None) -> None:
        """shelf: what keeps them; None: the memory of this process"""
        self._config = config
        self._shelf = shelf or MemoryShelf[KeptFile](limits_of_files(config))
        self._lock = threading.Lock()
        self._at_work = 0

    def add(self, name: str, content: bytes) -> str:
        """Keeps a file; → its key, which ends in its name. The oldest go until the rest fits; the newest stays."""
        safe = _safe(name)
        key = f"{secrets.token_urlsafe(24)}.{safe}"
        self._shelf.put(key, KeptFile(safe, content), len(content))
        return key

    def get(self, key: str) -> KeptFile:
        """The file of this key. Raises Problem not_found."""
        found = self._shelf.get(key)
        if found is None:
            raise Problem("not_found", "there is no such file, or no longer; translate it again")
        return found

    def submit(self, threads: Executor, translate: Callable[P, R], *given: P.args, **more: P.kwargs) -> "Future[R]":
        """Has a thread translate a file. Raises Problem queue_full above the limit.

        A file counts until its thread is done with it, even where its client has left.
        """
        self._count_in()
        try:
            work = threads.submit(translate, *given, **more)
        except BaseException:
            self._count_out()
            raise
        work.add_done_callback(lambda done: self._count_out())
        return work

    def _count_in(self) -> None:
        with self._lock:
            if self._at_work >= self._config.max_files_at_once:
                raise Problem(
                    "queue_full",
                    f"{self._at_work} files are being translated already; try again in a minute",
                    headers={"Retry-After": "60"},
                )
            self._at_work += 1

    def _count_out(self) -> None:
        with self._lock:
            self._at_work -= 1

    def clear(self) -> None:
        """Forgets all files."""
        self._shelf.clear()


def limits_of_files(config: ServerConfig) -> Limits:
    """How many files are kept, and how long."""
    return Limits(config.file_memory, config.file_seconds, config.max_files)


def _safe(name: str) -> str:
    """The last part of a path without what could mean anything to a shell, a header or another system's paths."""
    last = re.split(r"[/\\]", name)[-1]
    return _UNSAFE.sub("_", last).strip(" .")[-_LONGEST_NAME:] or "file"
