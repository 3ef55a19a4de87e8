"""What the files of a corpus are recognised by: path, size, time of the last writing, and a digest of samples.

A digest of whole files would take minutes before every training on a corpus of a hundred gigabytes. Changing a file
changes its time, and nearly always its size. The samples tell when a file was replaced by another one with the same
size and time, as by programs that copy files with their times.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from polyhead.corpora.compressed import COMPRESSED
from polyhead.data.readers import LinesConfig, PairsConfig, ReaderConfig, SubtitlesConfig, TsvConfig
from polyhead.reading import is_pattern, matching, open_regular

_SAMPLES, _SAMPLE = 16, 1 << 16
"""How many pieces of a file are looked at, the first and the last among them, and the bytes of each."""
_PACKED, _INSIDE = COMPRESSED | {".parquet", ".zip", ".tgz", ".tbz2", ".txz", ".tzst"}, 4
"""How the names of compressed files end, and how many times such a file's size its content is taken to have."""


class Stamp(NamedTuple):
    """What a file is recognised by."""

    path: str
    size: int
    modified: int
    """When the file was last written, in nanoseconds since 1970."""
    samples: str
    """The SHA-256 of the samples, in hexadecimal."""


def files_of(readers: Iterable[ReaderConfig]) -> list[Path] | None:
    """The regular files that some readers read, in order; None where something else is among them, such as a pipe."""
    paths = [path for reader in readers for path in paths_of(reader)]
    return paths if all(path.is_file() for path in paths) else None


def paths_of(reader: ReaderConfig) -> list[Path]:
    """What a reader reads, in order, whether it is there or not; of a directory or a pattern, the files that are."""
    match reader:
        case LinesConfig() | SubtitlesConfig():
            return [reader.source, reader.target]
        case TsvConfig():
            return [reader.path]
        case PairsConfig():
            return _within(reader.path)


def bytes_of(paths: Sequence[Path]) -> int:
    """About how much text is in some files."""
    return sum(path.stat().st_size * (_INSIDE if path.suffix.lower() in _PACKED else 1) for path in paths)


def stamps_of(paths: Iterable[Path]) -> list[Stamp]:
    """The stamp of each of some regular files. Raises OSError for a file that can't be read."""
    return [_stamp(path) for path in paths]


def _within(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.is_file())
    return matching(path) if is_pattern(path) else [path]


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    digest = hashlib.sha256()
    with open_regular(path) as file:
        last = max(0, found.st_size - _SAMPLE)
        for number in range(_SAMPLES):
            file.seek(last * number // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE))
    return Stamp(str(path), found.st_size, found.st_mtime_ns, digest.hexdigest())
