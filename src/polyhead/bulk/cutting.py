"""Where a file of lines is cut into shards, found in one pass over its bytes."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyhead.errors import DataError
from polyhead.limits import LONGEST_LINE

MOST_BYTES = 16 << 20
"""A shard ends with the line in which it reaches this many bytes, however few lines it has."""


@dataclass(frozen=True)
class Cutting:
    """What was found in one pass over a file: its digest and where its shards begin and end."""

    sha256: str
    """The SHA-256 digest of the file's content."""
    end: int
    """Where the last shard ends: the file's size in bytes, or a table's in rows."""
    lines: int
    """How many lines the file has, of which the last may lack a line feed; rows for a table, 1 for a document."""
    cuts: tuple[tuple[int, int], ...]
    """For each shard, the byte or row where it begins, and the number of lines or rows before it."""


class Cutter:
    """Is shown a file's bytes piece by piece; `cutting` says what it saw."""

    def __init__(self, lines: int, most_bytes: int = MOST_BYTES) -> None:
        """lines: the most lines of a shard; most_bytes: a shard ends with the line in which it gets this long"""
        self._most_lines, self._most_bytes = lines, most_bytes
        self._digest = hashlib.sha256()
        self._size = self._lines = 0
        self._line_begins = 0
        self._cuts = [(0, 0)]

    def see(self, piece: bytes) -> None:
        """Goes on with the next bytes, of any number."""
        self._digest.update(piece)
        ends = np.flatnonzero(np.frombuffer(piece, np.uint8) == ord("\n")) + self._size + 1
        begun, before = self._cuts[-1]
        seen = 0  # how many of the line ends in this piece
        while True:
            by_lines = seen + self._most_lines - (self._lines + seen - before) - 1
            by_bytes = int(np.searchsorted(ends, begun + self._most_bytes))
            last = min(by_lines, max(by_bytes, seen))
            if last >= len(ends):
                break
            seen = last + 1
            begun, before = int(ends[last]), self._lines + seen
            self._cuts.append((begun, before))
        self._lines += len(ends)
        self._size += len(piece)
        self._line_begins = int(ends[-1]) if len(ends) else self._line_begins

    @property
    def unfinished(self) -> int:
        """Bytes of the last line so far."""
        return self._size - self._line_begins

    @property
    def lines(self) -> int:
        """Line ends so far."""
        return self._lines

    def cutting(self) -> Cutting:
        """What was seen, which is all of the file."""
        cuts = [each for each in self._cuts if each[0] < self._size]
        return Cutting(self._digest.hexdigest(), self._size, self._lines + (self.unfinished > 0), tuple(cuts))


def cut(pieces: Iterable[bytes], lines: int, path: Path, most_bytes: int = MOST_BYTES) -> Cutting:
    """Where to cut a file, given its bytes piece by piece. Raises DataError for a line above `LONGEST_LINE`.

    lines, most_bytes: as for `Cutter`; path: the file's
    """
    cutter = Cutter(lines, most_bytes)
    for piece in pieces:
        cutter.see(piece)
        if cutter.unfinished > LONGEST_LINE:
            message = f"this line has more than {LONGEST_LINE:,} bytes; is the file text?"
            raise DataError(message, path, cutter.lines + 1)
    return cutter.cutting()
