"""A corpus as token ids, in flat arrays that can stay on disk: read from there they are mapped into memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyhead.data.windows import Window
from polyhead.errors import DataError
from polyhead.files import atomic_file
from polyhead.memory.mapped import let_go

Ids = NDArray[np.uint16 | np.uint32]
Offsets = NDArray[np.int64]
_ROWS = 8_192
"""How many sentences are copied before the pages that were read of a mapped file are let go of."""
_MANY = 1 << 20
"""Offsets that are looked at at a time."""
ARRAYS = ("source_ids", "source_offsets", "target_ids", "target_offsets")
"""The names of a corpus's arrays, and of their files without `.npy`."""


class Corpus(Protocol):
    """Sentence pairs that become token ids window by window."""

    def __len__(self) -> int: ...

    def within(self, window: Window) -> "EncodedCorpus":
        """The ids of a window's pairs, in their order. The same window gives the same ids."""
        ...


@dataclass(frozen=True)
class EncodedCorpus:
    """N sentence pairs. The ids have no `<sos>` or `<eos>`; a language tag, if any, is the first id of the source.

    source_ids, target_ids: [all tokens] uint16, or uint32 for vocabularies beyond 65,536
    source_offsets, target_offsets: [N + 1] int64; sentence i is `ids[offsets[i]:offsets[i + 1]]`
    """

    source_ids: Ids
    source_offsets: Offsets
    target_ids: Ids
    target_offsets: Offsets

    def __len__(self) -> int:
        return len(self.source_offsets) - 1

    def source(self, index: int) -> Ids:
        """The ids of a source sentence."""
        return self.source_ids[self.source_offsets[index] : self.source_offsets[index + 1]]

    def target(self, index: int) -> Ids:
        """The ids of a target sentence."""
        return self.target_ids[self.target_offsets[index] : self.target_offsets[index + 1]]

    @property
    def source_lengths(self) -> NDArray[np.int64]:
        """[N] the tokens of each source as the model reads it: with its tag and `<eos>`."""
        return np.diff(self.source_offsets) + 1

    @property
    def target_lengths(self) -> NDArray[np.int64]:
        """[N] the tokens of each target as the model reads it: with `<sos>`, or as it writes it: with `<eos>`."""
        return np.diff(self.target_offsets) + 1

    def within(self, window: Window) -> "EncodedCorpus":
        """The pairs of a window: this very corpus where the window has all of them, otherwise a copy in memory."""
        return self if window.rows is None else self.take(window.rows)

    def take(self, rows: NDArray[np.int64]) -> "EncodedCorpus":
        """The sentence pairs of these rows, in their order; a row may be there several times."""
        return EncodedCorpus(
            *_taken(self.source_ids, self.source_offsets, rows), *_taken(self.target_ids, self.target_offsets, rows)
        )

    def save(self, directory: Path) -> None:
        """Write one .npy file an array."""
        directory.mkdir(parents=True, exist_ok=True)
        for name in ARRAYS:
            with atomic_file(directory / f"{name}.npy") as temporary, temporary.open("wb") as file:
                np.save(file, getattr(self, name), allow_pickle=False)

    @classmethod
    def open(cls, directory: Path) -> "EncodedCorpus":
        """The corpus that `save` wrote, read from disk as it is needed. DataError if it is missing or damaged."""
        arrays: list[NDArray[np.generic]] = []
        for name in ARRAYS:
            path = directory / f"{name}.npy"
            try:
                arrays.append(np.load(path, mmap_mode="r", allow_pickle=False))
            except (OSError, ValueError, EOFError) as error:
                raise DataError(
                    f"cannot read this part of an encoded corpus ({error}); encode it again", path
                ) from error
        corpus = cls(*arrays)  # pyright: ignore[reportArgumentType]: checked on the next line
        corpus._check(directory)
        return corpus

    def _check(self, directory: Path) -> None:
        right = len(self.source_offsets) == len(self.target_offsets)
        for ids, offsets in ((self.source_ids, self.source_offsets), (self.target_ids, self.target_offsets)):
            right = right and ids.ndim == offsets.ndim == 1 and offsets.dtype == np.int64
            right = right and ids.dtype.name in ("uint16", "uint32")
            right = right and len(offsets) > 0 and offsets[0] == 0 and offsets[-1] == len(ids)
            right = right and all(np.all(np.diff(some) >= 0) for some in _overlapping(offsets))
        if not right:
            raise DataError("the parts of this encoded corpus do not belong together; encode it again", directory)


def flatten(sentences: Sequence[Sequence[int]], vocabulary_size: int) -> tuple[Ids, NDArray[np.int64]]:
    """Sentences of ids → all ids in one array, and the length of each sentence."""
    lengths = np.fromiter((len(sentence) for sentence in sentences), np.int64, len(sentences))
    dtype = np.uint16 if vocabulary_size <= 1 << 16 else np.uint32
    return np.fromiter(chain.from_iterable(sentences), dtype, int(lengths.sum())), lengths


def offsets_of(lengths: Iterable[NDArray[np.int64]]) -> Offsets:
    """Lengths, in parts → where each sentence begins, and the end of the last: [N + 1]."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))])


def _overlapping(offsets: Offsets) -> Iterable[Offsets]:
    """The array in parts, each of which begins with the last number of the one before it."""
    for first in range(0, len(offsets), _MANY):
        yield offsets[first : first + _MANY + 1]
        let_go(offsets)


def _taken(ids: Ids, offsets: Offsets, rows: NDArray[np.int64]) -> tuple[Ids, Offsets]:
    """The sentences of these rows, one after the other, and where each begins."""
    lengths = offsets[rows + 1] - offsets[rows]
    begins = offsets_of([lengths])
    taken = np.empty(int(begins[-1]), ids.dtype)
    for first in range(0, len(rows), _ROWS):  # a place takes four times the memory of an id
        some = slice(first, first + _ROWS)
        start, end = begins[first], begins[min(first + _ROWS, len(rows))]
        shifts = np.repeat(offsets[rows[some]] - begins[:-1][some], lengths[some])
        taken[start:end] = ids[shifts + np.arange(start, end)]
        let_go(ids)
    let_go(offsets)
    return taken, begins
