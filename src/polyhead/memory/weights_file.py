"""Weights that are pages of their file: what has been packed needn't stay in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polyhead.memory.memory_map import SMAPS, advise, areas

if TYPE_CHECKING:
    from torch import nn

DONTNEED = 4
"""The advice to Linux's madvise that pages may go; those of a file come back when they are looked at."""


@dataclass(frozen=True)
class FilePages:
    """The files that some weights lie in, mapped and never written to: this memory and the file are the same."""

    ranges: tuple[tuple[int, int], ...]
    """Addresses, from and up to."""

    @staticmethod
    def of(addresses: Iterable[int]) -> FilePages:
        """The mapped files that weights at these addresses lie in, without those whose pages were written to since."""
        places = list(addresses)
        clean = [(area.start, area.end) for area in areas(SMAPS) if area.unwritten_file]
        return FilePages(tuple(each for each in clean if any(each[0] <= address < each[1] for address in places)))

    def copy_out(self, weights: Iterable[nn.Parameter]) -> None:
        """Gives those of the weights that lie in the files memory of their own, each with the values it has."""
        for weight in weights:
            if any(start <= weight.data_ptr() < end for start, end in self.ranges):
                weight.data = weight.data.clone()
                self.give_back()

    def give_back(self) -> None:
        """Takes the files' pages out of memory until they are looked at again."""
        for start, end in self.ranges:
            advise(start, end - start, DONTNEED)
