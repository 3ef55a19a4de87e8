"""Writing that a crash cannot spoil: a file or directory appears whole or not at all. And telling who else wrote."""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

UNFINISHED = ".unfinished"
"""How the names of files end that are still being written."""


@contextmanager
def atomic_file(path: Path) -> Generator[Path]:
    """Yields a temporary path beside `path`; on success it is flushed to disk and renamed over `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=UNFINISHED)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        _flush(temporary)
        temporary.replace(path)
        _flush(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes `text` as UTF-8, atomically."""
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def remove_leftovers(directory: Path) -> None:
    """Deletes the unfinished files that a killed run left in `directory`; others are not touched."""
    for leftover in directory.glob(f".*{UNFINISHED}"):
        leftover.unlink(missing_ok=True)


@dataclass(frozen=True)
class Stamp:
    """A file as it was at some moment."""

    path: Path
    identity: tuple[int, int]
    """Device and inode: another file of the same name has others."""
    state: tuple[int, int]
    """Bytes and nanoseconds since 1970 of the last writing."""

    @classmethod
    def of(cls, path: Path) -> "Stamp":
        """The file of that name now. Raises OSError where there is none."""
        found = path.stat()
        return cls(path, (found.st_dev, found.st_ino), (found.st_size, found.st_mtime_ns))

    @property
    def overwritten(self) -> bool:
        """Whether this very file has been written to since; deleted or replaced by another, it is what it was."""
        try:
            now = Stamp.of(self.path)
        except OSError:
            return False
        return now.identity == self.identity and now.state != self.state


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
