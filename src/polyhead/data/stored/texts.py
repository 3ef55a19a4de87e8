r"""The text of a corpus in one file, any pair of which can be read at any time.

texts.utf8          for each pair its source, target and target language, each followed by "\n"
starts.int64        [R + 1] where each pair begins, and the end of the last
origins.zlib        where each pair stood, in blocks of 1,000 pairs compressed together
origin_starts.int64 where each of these blocks begins, and the end of the last
rows.int64          [N] the pairs to learn from, in rising order
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from polyhead.corpora.unit import one_line
from polyhead.data.readers.pair import Pair
from polyhead.data.stored.arrays import mapped
from polyhead.memory.mapped import let_go

TEXTS, STARTS = "texts.utf8", "starts.int64"
ORIGINS, ORIGIN_STARTS = "origins.zlib", "origin_starts.int64"
ROWS = "rows.int64"
_TOGETHER = 1_000
"""Origins that are compressed together."""
_AROUND, _MOST = 1 << 17, 1 << 24
"""How many bytes the system may map around what is read, and after how many bytes read all pages are let go of."""
_READ = 10_000
"""How many pairs are read at a time where all are read in order."""


class TextWriter:
    """Writes pairs into a directory, one after the other. Close it at the end."""

    def __init__(self, directory: Path) -> None:
        self.count = 0
        self._texts, self._starts, self._origins, self._origin_starts = (
            (directory / name).open("wb") for name in (TEXTS, STARTS, ORIGINS, ORIGIN_STARTS)
        )
        self._end = self._origin_end = 0
        self._waiting: list[str] = []

    def add(self, pairs: Sequence[Pair]) -> None:
        """Writes more pairs, behind those that were added before."""
        lines = [_line(pair) for pair in pairs]
        ends = self._end + np.cumsum([len(line) for line in lines], dtype=np.int64)
        self._starts.write(np.concatenate([[self._end], ends[:-1]]).astype(np.int64).tobytes())
        self._end = int(ends[-1])
        self._texts.write(b"".join(lines))
        self._waiting += [pair.origin for pair in pairs]
        self.count += len(pairs)
        while len(self._waiting) >= _TOGETHER:
            self._add_origins()

    def close(self) -> None:
        """Writes what is left, and closes the files."""
        if self._waiting:
            self._add_origins()
        for file, end in ((self._starts, self._end), (self._origin_starts, self._origin_end)):
            file.write(np.int64(end).tobytes())
        for file in (self._texts, self._starts, self._origins, self._origin_starts):
            file.close()

    def _add_origins(self) -> None:
        some, self._waiting = self._waiting[:_TOGETHER], self._waiting[_TOGETHER:]
        packed = zlib.compress("\n".join(each.replace("\n", " ") for each in some).encode("utf-8", "surrogatepass"), 1)
        self._origin_starts.write(np.int64(self._origin_end).tobytes())
        self._origins.write(packed)
        self._origin_end += len(packed)


class StoredPairs(Sequence[Pair]):
    """The pairs of a directory in order, read from its files when they are asked for. Threads may share it."""

    def __init__(self, directory: Path, rows: NDArray[np.int64] | None = None) -> None:
        """rows: [N] which of the pairs that were written; None: all"""
        self.directory = directory
        self._starts = mapped(directory / STARTS)
        self._origin_starts = mapped(directory / ORIGIN_STARTS)
        self._rows: range | NDArray[np.int64] = range(len(self._starts) - 1) if rows is None else rows
        self._texts, self._origins = (mapped(directory / name, "uint8") for name in (TEXTS, ORIGINS))
        self._unpacked: tuple[int, list[str]] = (-1, [])
        self._looked_at = 0

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> list[Pair]: ...

    def __getitem__(self, index: int | slice) -> Pair | list[Pair]:
        pairs = self._read(np.atleast_1d(np.array(self._rows[index], np.int64)))
        return pairs if isinstance(index, slice) else pairs[0]

    def __iter__(self) -> Iterator[Pair]:
        for start in range(0, len(self), _READ):
            yield from self[start : start + _READ]

    def origin(self, row: int) -> str:
        """Where the pair with this row among all that were written stood."""
        block, place = divmod(row, _TOGETHER)
        unpacked = self._unpacked
        if unpacked[0] != block:
            start, end = int(self._origin_starts[block]), int(self._origin_starts[block + 1])
            text = zlib.decompress(self._origins[start:end].tobytes()).decode("utf-8", "surrogatepass")
            self._unpacked = unpacked = block, text.split("\n")
        return unpacked[1][place]

    def _read(self, rows: NDArray[np.int64]) -> list[Pair]:
        pairs: list[Pair] = []
        for first, last in _runs(rows):
            parts = self._bytes(first, last).decode("utf-8", "surrogatepass").split("\n")
            fields = zip(*(parts[field:-1:3] for field in range(3)), strict=True)
            pairs += [
                Pair(source, target, language or None, self.origin(row))
                for row, (source, target, language) in enumerate(fields, start=first)
            ]
        return pairs

    def _bytes(self, first: int, last: int) -> bytes:
        """The bytes of the pairs from row `first` up to, but without, row `last`."""
        start, end = int(self._starts[first]), int(self._starts[last])
        self._looked_at += end - start + _AROUND
        if self._looked_at > _MOST:
            self._looked_at = 0
            for array in (self._texts, self._starts, self._origins, self._origin_starts, self._rows):
                if isinstance(array, np.ndarray):
                    let_go(array)
        return self._texts[start:end].tobytes()


def _line(pair: Pair) -> bytes:
    text = f"{pair.source}\n{pair.target}\n{pair.target_language or ''}\n"
    if text.count("\n") != 3:  # no reader gives such a text
        text = f"{one_line(pair.source)}\n{one_line(pair.target)}\n{pair.target_language or ''}\n"
    return text.encode("utf-8", "surrogatepass")


def _runs(rows: NDArray[np.int64]) -> Iterable[tuple[int, int]]:
    """Neighbouring rows together: the first of each run, and the row after its last."""
    ends = [*(np.flatnonzero(np.diff(rows) != 1) + 1).tolist(), len(rows)] if len(rows) else []
    return ((int(rows[start]), int(rows[end - 1]) + 1) for start, end in pairwise([0, *ends]) if end > start)
