"""Processes that need the same code at the same time wait for each other: one compiles it, the others take its file.

The lock is the operating system's, on a file beside the code: it ends with the process that holds it, however that
ends. It saves work and nothing else: whatever goes wrong with it, a process that can't have it compiles for itself.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

PATIENCE = 600.0
"""Seconds that a process waits for another, which may have been stopped: longer than any kernel takes."""


@contextmanager
def compile_lock(path: Path, waiting: Callable[[], object]) -> Generator[None]:
    """Within the block no other process compiles what belongs in this file, as a rule.

    waiting: is called where another process compiles, before that process is waited for
    """
    lock = _acquired(path.with_name(f"{path.name}.lock"), waiting)
    try:
        yield
    finally:
        if lock is not None:
            with suppress(OSError):
                Path(lock.lock_file).unlink()  # before it is let go: nobody may delete the next one's
            with suppress(OSError):
                lock.release()


def _acquired(path: Path, waiting: Callable[[], object]) -> BaseFileLock | None:
    """The lock; None where the file system knows none, nothing can be written, or the other takes too long."""
    try:
        lock = FileLock(path, thread_local=False, fallback_to_soft=False)
        with suppress(Timeout):
            return lock.acquire(0).lock
        waiting()
        return lock.acquire(PATIENCE).lock
    except (OSError, Timeout):
        return None
