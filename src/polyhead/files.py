"""Writing that a crash or a full disk cannot spoil: a file appears whole or not at all. `Stamp` finds later changes."""

import errno
import os
import shutil
import stat
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from polyhead.refusals import write_errors

UNFINISHED = ".unfinished"
"""How the names of folders end in which a file is still being written."""

_TRIES, _PAUSE = 20, 0.1
"""How often Windows is asked to put a file in its place, which it refuses while somebody reads the old file, and how
many seconds lie between two tries."""


@contextmanager
def atomic_file(path: Path) -> Generator[Path]:
    """Yields a temporary path; what is written there is flushed to disk and then renamed over `path`.

    The directory of `path` must exist already. Who may read the new file follows from the user's umask. If anything
    goes wrong the old file stays as it was, and nothing temporary is left. Raises WriteError where the system refuses.
    """
    # A folder, since libraries put temporary files of their own beside the one that they are told to write.
    folder = _beside(path)
    temporary = folder / path.name
    with write_errors(path):
        _check_place(path)
        try:
            folder.mkdir()
            mode = _create(temporary)
            yield temporary
            temporary.chmod(mode)  # some libraries replace the file, and give their own permissions
            _flush(temporary)
            _replace(temporary, path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    _flush_directory(path.parent)


@contextmanager
def atomic_directory(path: Path) -> Generator[Path]:
    """Yields a temporary directory beside `path`; with all files in it flushed to disk it is then renamed to `path`.

    The parent of `path` must exist already. A directory that is there is replaced. If anything goes wrong it stays as
    it was, and nothing temporary is left. Raises WriteError where the system refuses.
    """
    temporary = _beside(path)
    with write_errors(path):
        try:
            temporary.mkdir()
            yield temporary
            for file in temporary.rglob("*"):
                if file.is_file():
                    _flush(file)
            _flush_directory(temporary)
            _replace_directory(temporary, path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    _flush_directory(path.parent)


def write_text(path: Path, text: str) -> None:
    """Writes `text` as UTF-8, atomically, into a directory that exists."""
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def discard(path: Path) -> None:
    """Deletes a file that isn't needed any more, if that is possible; if not, it stays for the next time.

    Windows deletes no file that a program has open or mapped.
    """
    with suppress(OSError):
        path.unlink()


def remove_leftovers(directory: Path) -> None:
    """Deletes what a killed process left half written in `directory`; other files are not touched."""
    for leftover in directory.glob(f".*{UNFINISHED}"):
        if leftover.is_dir() and not leftover.is_symlink():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            discard(leftover)


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
        """Whether this very file has been written to since the stamp; if it was deleted or replaced, it was not."""
        try:
            now = Stamp.of(self.path)
        except OSError:
            return False
        return now.identity == self.identity and now.state != self.state


def _beside(path: Path) -> Path:
    """A new hidden name beside a file or directory, by which `remove_leftovers` knows what was not finished."""
    return path.parent / f".{path.name}.{token_hex(4)}{UNFINISHED}"


def _check_place(path: Path) -> None:
    """Raises OSError where a file can't be replaced: a directory, or a device or pipe, which a rename would destroy."""
    with suppress(FileNotFoundError):
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is no regular file")


def _create(path: Path) -> int:
    """Makes an empty file → the permissions that it got."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        return stat.S_IMODE(os.fstat(descriptor).st_mode)
    finally:
        os.close(descriptor)


def _replace(temporary: Path, path: Path) -> None:
    """Renames a file over another one, or a directory. Windows refuses that while somebody reads it: we try again."""
    for left in reversed(range(_TRIES)):
        try:
            temporary.replace(path)
            return
        except PermissionError:
            if sys.platform != "win32" or not left:
                raise
            time.sleep(_PAUSE)


def _replace_directory(new: Path, path: Path) -> None:
    """Renames a directory over another one, which is put aside until the new one is in its place."""
    if not path.exists():
        _replace(new, path)
        return
    old = _beside(path)
    _replace(path, old)
    try:
        _replace(new, path)
    except BaseException:
        _replace(old, path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _flush(path: Path) -> None:
    """Waits until a file is on the disk."""
    descriptor = os.open(path, os.O_RDWR)  # Windows flushes no handle that was opened for reading
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def _flush_directory(directory: Path) -> None:
    """Waits until the names in a directory are on the disk, where the system and the file system can do that.

    Windows opens no directory, and some file systems refuse; the file itself is safe, at worst under its old name.
    """
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            _sync(descriptor)
        finally:
            os.close(descriptor)


def _sync(descriptor: int) -> None:
    """Calls fsync or, on macOS, F_FULLFSYNC, since there fsync leaves the data in the disk's own memory."""
    if sys.platform == "darwin":
        import fcntl

        with suppress(OSError):  # network file systems don't know it
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)
