"""The lines of a file, plain or compressed, as text. Whatever is wrong with it becomes a DataError that says where."""

import gzip
import importlib
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

from polyhead.errors import DataError
from polyhead.limits import LONGEST_LINE

_CHUNK = 1 << 20
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


def read_text_lines(path: Path) -> Iterator[str]:
    r"""The lines of a UTF-8 file, without their "\n" or "\r\n"; a byte order mark at its start is left out.

    `.gz`, `.xz` and `.zst` files are decompressed on the way. DataError for a file that is missing, empty, a directory,
    damaged, or not UTF-8, and for a line without an end, such as /dev/zero has.
    """
    return _texts(_raw_lines(_chunks(path), path), path)


def read_text_lines_of(data: bytes, name: str) -> Iterator[str]:
    """`read_text_lines` for what isn't in a file, such as standard input; none of no bytes.

    name: what messages call it
    """
    return _texts(_raw_lines(iter([data]), Path(name)), Path(name)) if data else iter(())


def _texts(lines: Iterable[bytes], path: Path) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if number == 1:
            if line.startswith(_UTF16_BOMS):
                raise DataError("this text is UTF-16; save it as UTF-8", path, 1)
            line = line.removeprefix(_UTF8_BOM)
        try:
            yield line.removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as error:
            byte = line[error.start]
            message = f"invalid UTF-8: byte {error.start + 1} of the line is 0x{byte:02X}; save the text as UTF-8"
            raise DataError(message, path, number) from error


def _raw_lines(chunks: Iterator[bytes], path: Path) -> Iterator[bytes]:
    r"""What the chunks have together, split at "\n" alone. A last line need not end in one."""
    unfinished: list[bytes] = []  # the pieces of a line that goes on in the next chunk
    line_number = 1
    try:
        for chunk in chunks:
            first, *others = chunk.split(b"\n")
            unfinished.append(first)
            if sum(map(len, unfinished)) > LONGEST_LINE:
                raise DataError(f"this line has more than {LONGEST_LINE:,} bytes; is the file text?", path, line_number)
            for other in others:
                yield b"".join(unfinished)
                line_number += 1
                unfinished = [other]
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, _Damaged) as error:
        message = f"this {path.suffix} file is damaged or incomplete ({error}); copy or compress it again"
        raise DataError(message, path, line_number) from error
    except OSError as error:
        raise DataError(_explain(error, path), path) from error
    last = b"".join(unfinished)
    if line_number == 1 and last.rstrip(b"\r").count(b"\r") > 1:
        raise DataError(r"its lines end in carriage returns alone; convert it first: tr '\r' '\n' < FILE > OTHER", path)
    if last:
        yield last
    elif line_number == 1:
        raise DataError("the file is empty", path)


def _explain(error: OSError, path: Path) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if path.is_dir():
        return "this is a directory, not a file"
    return f"cannot read the file: {error.strerror or error}"


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from _DECOMPRESSORS.get(path.suffix.lower(), _plain)(file, path)


def _plain(file: IO[bytes], path: Path) -> Iterator[bytes]:
    del path
    while chunk := file.read(_CHUNK):
        yield chunk


def _gz(file: IO[bytes], path: Path) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=file, mode="rb") as stream:
        yield from _plain(cast(IO[bytes], stream), path)


def _xz(file: IO[bytes], path: Path) -> Iterator[bytes]:
    if file.read(1):  # no bytes at all are an empty file, not a damaged one
        file.seek(0)
        with lzma.LZMAFile(file) as stream:
            yield from _plain(cast(IO[bytes], stream), path)


def _zst(file: IO[bytes], path: Path) -> Iterator[bytes]:
    try:
        zstandard: Any = importlib.import_module("zstandard")
    except ImportError as error:
        message = 'reading .zst files needs the package zstandard: pip install "polyhead[zstd]", or decompress it first'
        raise DataError(message, path) from error
    frame: Any = None
    try:
        for chunk in _plain(file, path):
            while chunk:  # a file may hold several frames, one after the other
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                yield frame.decompress(chunk)
                chunk, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    except zstandard.ZstdError as error:
        raise _Damaged(str(error)) from error
    if frame is not None:
        raise _Damaged("it ends too early")


class _Damaged(Exception):
    """A compressed file that cannot be decompressed."""


_DECOMPRESSORS: Mapping[str, Callable[[IO[bytes], Path], Iterator[bytes]]] = {".gz": _gz, ".xz": _xz, ".zst": _zst}
COMPRESSED = frozenset(_DECOMPRESSORS)
"""Endings of the names of files that are decompressed while they are read."""
