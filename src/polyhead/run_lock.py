"""One process at a time writes in a model directory; a process that only reads never waits.

The lock is the operating system's, on a small file in the directory: it ends with the process that holds it, however
that ends. File systems that know no locks get a file whose presence is the lock; it counts for nothing once its process
runs no more on this machine.
"""

import errno
import os
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout

from polyhead.errors import PolyheadError
from polyhead.refusals import write_errors

LOCK = ".polyhead.lock"
"""The name of the file that is locked. It is in the directory only while a process writes there, or after one was
killed."""
PRESENCE = ".polyhead.running"
"""The name of the file whose presence is the lock, where the file system knows no locks."""

_PATIENCE = 0.5
"""How many seconds are waited until another process lets the lock go."""
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP}
"""What a file system answers that knows no locks, or whose server gives none."""


@dataclass(frozen=True)
class Held:
    """A directory in which this process alone writes."""

    directory: Path
    handle: int | None
    """The descriptor of the open directory; None on Windows, where nobody can take away a directory that is in use."""

    @property
    def intact(self) -> bool:
        """Whether the path still leads to the directory that was taken hold of."""
        try:
            now = self.directory.stat()
        except OSError:
            return False
        return self.handle is None or os.path.samestat(now, os.fstat(self.handle))

    def check(self) -> None:
        """Raises PolyheadError if another directory is at the path now; to be called before something is written."""
        if not self.intact:
            raise PolyheadError(
                f"{self.directory} was deleted, moved or replaced while this process worked in it: nothing more is "
                "written there; put it back and go on with --resume, or start again"
            )


class InUse(PolyheadError):
    """Another process works in the directory."""


@contextmanager
def exclusive(directory: Path, patience: float = _PATIENCE) -> Generator[Held]:
    """Within the block no other process gets the lock on the directory, which is made if it is missing.

    patience: how many seconds to wait for another process that holds the lock; below 0: without end

    A directory that was made here and in which nothing was written is removed again at the end.
    Raises InUse, a PolyheadError, where another process still holds the lock after that time, and WriteError where
    nothing can be written in the directory.
    """
    missing = [each for each in (directory, *directory.parents) if not each.exists()]
    with write_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
    try:
        with _locked(directory, patience) as held:
            yield held
    finally:
        for each in missing:
            with suppress(OSError):  # somebody's files are in it
                each.rmdir()


@contextmanager
def _locked(directory: Path, patience: float) -> Generator[Held]:
    path = directory / LOCK
    with write_errors(path):
        lock = _acquire_in_time(path, patience)
        handle = _open(directory)
    held = Held(directory, handle)
    try:
        yield held
    finally:
        # Deleted before it is let go: whoever has opened it meanwhile sees that its name is gone, and opens another.
        with suppress(OSError):
            if not isinstance(lock, SoftFileLock) and sys.platform != "win32" and held.intact:
                path.unlink()
        with suppress(OSError):
            lock.release()
        if handle is not None:
            os.close(handle)


def _open(directory: Path) -> int | None:
    return None if sys.platform == "win32" else os.open(directory, os.O_RDONLY)


def _acquire_in_time(path: Path, patience: float) -> BaseFileLock:
    """The lock. If its last holder removed the directory, as nothing was written in it, the directory is made again."""
    while True:
        try:
            return _acquire(path, patience)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)


def _acquire(path: Path, patience: float) -> BaseFileLock:
    """The lock, of the kind that the file system has. Raises InUse if another process holds it."""
    try:
        lock = FileLock(path, patience, thread_local=False, fallback_to_soft=False, on_acquired=_sign)
        lock.acquire()
    except Timeout:
        raise InUse(f"{_in_use(path)}: wait until it has ended, or name another directory") from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        with suppress(OSError):
            path.unlink()  # it locks nobody out
        lock = _acquire_by_presence(path.with_name(PRESENCE), patience)
    return lock


def _acquire_by_presence(path: Path, patience: float) -> BaseFileLock:
    lock = SoftFileLock(path, patience, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise InUse(
            f"{_in_use(path)}: wait until it has ended, or name another directory; if it surely runs no more, "
            f"delete its file {path.name}"
        ) from None
    return lock


def _sign(descriptor: int) -> None:
    """Writes this process's number and host into the locked file, for processes that find it locked."""
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, f"{os.getpid()}\n{socket.gethostname()}\n".encode())


def _in_use(path: Path) -> str:
    owner = ""
    with suppress(OSError, ValueError):  # Windows lets nobody read it
        process, host, *_ = path.read_text(encoding="utf-8").split("\n")
        owner = f" (process {int(process)} on {host})"
    return f"{path.parent} is in use by another polyhead process{owner}"
