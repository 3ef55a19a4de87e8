"""The bytes of a file, decompressed on the way. Whatever is wrong with it becomes a DataError that names it."""

import bz2
import gzip
import importlib
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, cast

from polyhead.corpora.member import Member
from polyhead.errors import DataError
from polyhead.limits import LARGEST_DOCUMENT, MOST_EXPANSION, UNDOUBTED_EXPANSION

_CHUNK = 1 << 20
_PIECE_OF_ZST = 1 << 10
"""Bytes of a .zst file that are decompressed in one go: each may become 32 KiB, and zstandard knows no bound."""


class Damaged(DataError):
    """A compressed file that cannot be decompressed."""

    def __init__(self, message: str, path: Path | str, line: int | None = None) -> None:
        super().__init__(message, path, line)
        self._message = message

    def at(self, line: int) -> DataError:
        """A copy of this error with the line, counted from 1, in which the readable part ends."""
        return Damaged(self._message, self.path, line)


class _EndsEarly(Exception):
    """A compressed file whose end is missing."""


def chunks(member: Member) -> Iterator[bytes]:
    """What is in a file, piece by piece; a compressed one is decompressed.

    The ending of the name decides how: `.gz`, `.bz2`, `.xz` or `.zst`. A file with another ending is decompressed where
    its first bytes are those of such a file.
    Raises DataError for a file that can't be read or grows beyond all measure, Damaged (a DataError) for a damaged one.
    """
    kind: str | None = None
    try:
        with member.open() as file:
            kind = member.suffix if member.suffix in COMPRESSED else _kind_of(file)
            decompress = _plain if kind is None else _DECOMPRESSORS[kind]
            yield from _bounded(decompress(file), member)
    except (EOFError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError, _EndsEarly) as error:
        raise _damaged(member, kind, error) from error
    except ModuleNotFoundError as error:
        message = 'reading .zst files needs the package zstandard: pip install "polyhead[zstd]", or decompress it first'
        raise DataError(message, member.name) from error
    except OSError as error:
        if error.errno is None and kind == ".bz2":  # the bz2 module has no error of its own
            raise _damaged(member, kind, error) from error
        raise DataError(explain(error, member), member.name) from error


def as_file(member: Member) -> BinaryIO:
    """`chunks` as an open file that can't be wound back, for libraries that read from one."""
    return io.BufferedReader(_Stream(chunks(member)), _CHUNK)


def seekable(member: Member) -> BinaryIO:
    """`chunks` for libraries that seek: a temporary file without a name, which is gone as soon as it is closed."""
    file = TemporaryFile()  # noqa: SIM115  closed by who asked for it
    try:
        for chunk in chunks(member):
            file.write(chunk)
        file.seek(0)
    except OSError as error:
        file.close()
        message = f"this cannot be unpacked into a temporary file: {error.strerror or error}"
        raise DataError(message, member.name) from error
    except BaseException:
        file.close()
        raise
    return cast(BinaryIO, file)


def read_head(member: Member, most: int) -> bytes:
    """The first bytes of what is in a file. Raises DataError where it can't be read."""
    found: list[bytes] = []
    missing = most
    with closing(cast(Any, chunks(member))) as pieces:
        while missing > 0 and (chunk := next(pieces, None)) is not None:
            found.append(chunk)
            missing -= len(chunk)
    return b"".join(found)[:most]


def read_whole(member: Member) -> bytes:
    """All that is in a file. Raises DataError where it can't be read, or has more than LARGEST_DOCUMENT bytes."""
    data = read_head(member, LARGEST_DOCUMENT + 1)
    if len(data) > LARGEST_DOCUMENT:
        message = f"this file has more than {LARGEST_DOCUMENT:,} bytes, and its format must be read whole; divide it"
        raise DataError(message, member.name)
    return data


def explain(error: OSError, member: Member) -> str:
    """Why a file can't be read, in words."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError) or (member.path is not None and member.path.is_dir()):
        return "this is a directory, not a file"
    return f"cannot read the file: {error.strerror or error}"


def _damaged(member: Member, kind: str | None, error: Exception) -> Damaged:
    message = f"this {kind or member.suffix} file is damaged or incomplete ({error}); copy or compress it again"
    return Damaged(message, member.name)


def _bounded(pieces: Iterator[bytes], member: Member) -> Iterator[bytes]:
    """Passes pieces on. Raises DataError where they become many times larger than a text of the file's size is."""
    total = 0
    for piece in pieces:
        total += len(piece)
        if member.size and total > max(UNDOUBTED_EXPANSION, MOST_EXPANSION * member.size):
            raise DataError(
                f"decompressed it is more than {MOST_EXPANSION} times as large, as no text is; decompress it yourself "
                "if you trust it",
                member.name,
            )
        yield piece


class _Stream(io.RawIOBase):
    """Pieces of bytes as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fills the buffer with what comes next, as far as one piece goes → how many bytes these are."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = piece
        taken = self._rest[: len(buffer)]
        buffer[: len(taken)] = taken
        self._rest = self._rest[len(taken) :]
        return len(taken)

    def close(self) -> None:
        """Closes this stream, and the file that its pieces come from."""
        cast(Any, self._pieces).close()
        super().close()


def _plain(file: IO[bytes], most: int | None = None) -> Iterator[bytes]:
    while chunk := file.read(most or _CHUNK):
        yield chunk


def _gz(file: IO[bytes]) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file, mode="rb") as stream:
        yield from _plain(cast(IO[bytes], stream))


def _bz2(file: IO[bytes]) -> Iterator[bytes]:
    if _is_filled(file):
        with bz2.BZ2File(file) as stream:
            yield from _plain(cast(IO[bytes], stream))


def _xz(file: IO[bytes]) -> Iterator[bytes]:
    if _is_filled(file):
        with lzma.LZMAFile(file) as stream:
            yield from _plain(cast(IO[bytes], stream))


def _is_filled(file: IO[bytes]) -> bool:
    """Whether a file has any bytes. One without is an empty file, not a damaged one."""
    return bool(cast(Any, file).peek(1))


def _zst(file: IO[bytes]) -> Iterator[bytes]:
    zstandard: Any = importlib.import_module("zstandard")
    frame: Any = None
    try:
        for chunk in _plain(file, _PIECE_OF_ZST):
            while chunk:  # a file may hold several frames, one after the other
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                if text := frame.decompress(chunk):
                    yield text
                chunk, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    except zstandard.ZstdError as error:
        raise _EndsEarly(str(error)) from error
    if frame is not None:
        raise _EndsEarly("it ends too early")


_DECOMPRESSORS: Mapping[str, Callable[[IO[bytes]], Iterator[bytes]]] = {
    ".gz": _gz,
    ".bz2": _bz2,
    ".xz": _xz,
    ".zst": _zst,
}
COMPRESSED = frozenset(_DECOMPRESSORS)
"""Endings of the names of files that are decompressed while they are read."""
_BEGINNINGS = {b"\x1f\x8b\x08": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}


def _kind_of(file: IO[bytes]) -> str | None:
    """The ending that a compressed file should have by its first bytes; None for one that isn't compressed."""
    head = cast(Any, file).peek(10)
    for beginning, ending in _BEGINNINGS.items():
        # "BZh" could begin a text: a digit and the first block's mark follow in a file of this format.
        if head.startswith(beginning) and (ending != ".bz2" or head[4:10] in (b"1AY&SY", b"\x17rE8P\x90")):
            return ending
    return None
