"""Reading of files that somebody else may have made: regular files only, and no more of them than was expected.

A pipe may never end or never begin, a device such as /dev/zero has no end, and a sparse file of a terabyte takes no
room on its disk. Links are followed: caches of models are full of them.
"""

import glob
import os
import stat
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import NoReturn

from polyhead.errors import DataError
from polyhead.limits import LARGEST_HEADER, usable_memory

_FLAGS = getattr(os, "O_NONBLOCK", 0)
"""The flag to open files with, by which a pipe that nobody writes to doesn't keep its reader waiting."""
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a directory",
    stat.S_IFSOCK: "a socket",
}
_LENGTH = 8
"""Bytes at the beginning of a safetensors file that say how long its header is."""


class Unreadable(OSError):
    """A file that is of the wrong kind or too large; its `strerror` and text say which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.strerror = reason


def open_regular(path: Path) -> BufferedReader:
    """The file, open for reading. Raises OSError, and Unreadable (an OSError) where it is not a regular file."""
    try:
        file = open(path, "rb", opener=_opened)  # noqa: SIM115  closed by who asked for it
    except ValueError as error:  # a name with a NUL in it
        raise Unreadable(str(error)) from error
    except IsADirectoryError as error:
        raise _irregular(stat.S_IFDIR) from error
    try:
        kind = stat.S_IFMT(os.fstat(file.fileno()).st_mode)
        if kind != stat.S_IFREG:
            raise _irregular(kind)
    except BaseException:
        file.close()
        raise
    return file


def check_lasting(path: Path, reading: str) -> None:
    """Raises DataError for what can be read only once, such as a pipe.

    reading: how it is read, for the message: "a file of both languages is read more than once"
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise DataError(f"this is no regular file, and {reading}; save it", path)


def _opened(path: str, flags: int) -> int:
    """The opener for `open`, whose file then owns the descriptor and alone closes it, whatever interrupts."""
    return os.open(path, flags | _FLAGS)


def _irregular(kind: int) -> Unreadable:
    return Unreadable(f"it is {_KINDS.get(kind, 'something else')}, not a regular file")


def read_bytes(path: Path, most: int) -> bytes:
    """What is in a regular file of at most `most` bytes. Raises OSError, and Unreadable (an OSError) if larger."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(most + 1) if size <= most else b""
    if size > most or len(data) > most:
        raise Unreadable(f"it has {max(size, len(data)):,} bytes, where at most {most:,} are expected")
    return data


def read_text(path: Path, most: int) -> str:
    """The text of a regular file of at most `most` bytes. Raises OSError, and UnicodeDecodeError if it isn't UTF-8."""
    return read_bytes(path, most).decode("utf-8")


def check_tensors(path: Path) -> None:
    """Checks a safetensors file before it is opened: it must be a regular file, with a plausible header and size.

    Raises OSError where it can't be read, Unreadable (an OSError) where it is no file that can be worked with here.
    """
    with open_regular(path) as file:
        size, header = os.fstat(file.fileno()).st_size, int.from_bytes(file.read(_LENGTH), "little")
    if header > LARGEST_HEADER:
        raise Unreadable("it doesn't begin like a file of weights: its header would be too long")
    memory = usable_memory()
    if memory is not None and size > memory:
        raise Unreadable(
            f"it has {size:,} bytes, more than the {memory:,} that this machine or container has as memory"
        )


def is_pattern(path: Path) -> bool:
    """Whether a path is a pattern, such as `texts/*.txt`, and not the name of something that is there."""
    return glob.has_magic(str(path)) and not path.exists()


def matching(pattern: Path) -> list[Path]:
    """The files whose names a pattern matches, in their order; `**` stands for directories of any depth."""
    names = sorted(glob.glob(str(pattern), recursive=True))  # noqa: PTH207  Path.glob takes no absolute pattern
    return [path for path in map(Path, names) if path.is_file()]


def files_below(directory: Path, is_left_out: Callable[[Path], bool] | None = None) -> Iterator[Path]:
    """All files below a directory, without hidden ones; links to directories aren't followed.

    is_left_out: whether a directory is passed over
    Raises DataError for a directory that can't be read, whose files would be missed without anybody's knowing.
    """
    for folder, folders, files in os.walk(directory, onerror=_refuse):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        if is_left_out is not None:
            folders[:] = [each for each in folders if not is_left_out(Path(folder, each))]
        for file in sorted(each for each in files if not each.startswith(".")):
            yield Path(folder, file)


def _refuse(error: OSError) -> NoReturn:
    raise DataError(f"it cannot be read: {error.strerror or error}", error.filename) from error
