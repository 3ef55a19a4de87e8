"""Better translations that people suggest: kept in a file, a JSON object a line, and used by nobody but its owner."""

import json
import os
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from polyhead.errors import PolyheadError
from polyhead.server.problems import Problem

_OF_SOME_SYSTEMS = ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
_NEW_FILE = os.O_RDWR | os.O_APPEND | os.O_CREAT | sum(getattr(os, name, 0) for name in _OF_SOME_SYSTEMS)
_OWNER_ALONE = 0o600


class SuggestionFile:
    """A file that lines are added to until it is full; safe to use from several threads."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        """Opens the file, or begins it, readable by its owner alone.

        A last line that a crash left unfinished is ended, so that it damages no other. Raises PolyheadError where the
        file can't be written.
        """
        self._path = path
        self._most = most_bytes
        self._lock = threading.Lock()
        try:
            self._file = os.open(path, _NEW_FILE, _OWNER_ALONE)
            if os.fstat(self._file).st_size:
                os.lseek(self._file, -1, os.SEEK_END)
                if os.read(self._file, 1) != b"\n":
                    os.write(self._file, b"\n")
        except OSError as error:
            raise PolyheadError(
                f"{path}: suggestions cannot be kept there: {error.strerror}; name another file with --suggestions"
            ) from error

    def add(self, fields: Mapping[str, str]) -> None:
        """Adds a suggestion with the time, on disk when this returns.

        Raises Problem forbidden where the file is full, internal where the disk takes no more; then nothing is added.
        """
        timed = {"time": datetime.now(UTC).isoformat(timespec="seconds"), **fields}
        line = (json.dumps(timed, ensure_ascii=False) + "\n").encode()
        with self._lock, _locked(self._file):
            before = os.fstat(self._file).st_size
            if before + len(line) > self._most:
                raise Problem("forbidden", "this server takes no more suggestions: its file is full")
            try:
                written = os.write(self._file, line)
                os.fsync(self._file)
            except OSError as error:
                written = 0
                reason = error.strerror
            else:
                reason = "the disk is full"
            if written < len(line):
                os.ftruncate(self._file, before)
                raise Problem("internal", f"the suggestion could not be kept: {reason}")

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)


@contextmanager
def _locked(file: int) -> Generator[None]:
    """Keeps other processes from adding to the file within the block, so that none takes back another's line."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with suppress(OSError):  # some network file systems know no locks
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
