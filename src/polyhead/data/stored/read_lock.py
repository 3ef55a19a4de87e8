"""A directory that a process reads from is deleted by no other one.

Readers share the operating system's lock on one file of the directory, which ends with its process; whoever deletes
the directory needs the lock alone. Where the file system knows no locks nothing is deleted. Windows needs none: it
deletes no file that is open.
"""

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from polyhead.reading import open_regular


class ReadLock:
    """Keeps a directory from being deleted by `delete_unused`, as long as this object lives."""

    def __init__(self, file: Path) -> None:
        """file: the one by which it is kept. Raises FileNotFoundError where the directory is deleted just now."""
        opened = open_regular(file)
        finalize(self, opened.close)
        with suppress(OSError):  # the file system knows no locks
            _lock(opened.fileno(), alone=False)
        if not os.path.samestat(file.stat(), os.fstat(opened.fileno())):
            raise FileNotFoundError(file)


def delete_unused(file: Path) -> None:
    """Deletes the directory of a file by which no process keeps it; else does nothing.

    The file goes first: whoever waits for the lock then sees that its name is gone.
    """
    with suppress(OSError), file.open("r+b") as opened:  # file systems of networks lock only what may be written
        _lock(opened.fileno(), alone=True)
        if sys.platform == "win32":
            opened.close()
        file.unlink()
        shutil.rmtree(file.parent, ignore_errors=True)


def _lock(descriptor: int, alone: bool) -> None:
    """Takes the lock until the file is closed. Raises OSError where it can't be had, alone: where others have it."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB if alone else fcntl.LOCK_SH)
