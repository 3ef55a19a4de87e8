"""Arrays of numbers in files without a header, mapped into memory: as long as the file, and never copied as a whole."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.data.digests import in_parts

Array = NDArray[Any]


def mapped(path: Path, kind: str | None = None) -> Array:
    """The numbers in a file, to be read.

    kind: the type of the numbers; None: the one that the ending of the file's name says, such as `rows.int64`
    """
    dtype = np.dtype(kind or path.suffix[1:])
    if path.stat().st_size == 0:  # which can't be mapped
        return np.zeros(0, dtype)
    return np.memmap(path, dtype, mode="r")


def made(path: Path, count: int) -> None:
    """Makes a file of so many zeros, to be filled with `put`."""
    with path.open("wb") as file:
        file.truncate(count * np.dtype(path.suffix[1:]).itemsize)


def put(path: Path, first: int, numbers: Array) -> None:
    """Writes numbers into a file from a place on; several processes may write in different places."""
    dtype = np.dtype(path.suffix[1:])
    with path.open("r+b") as file:
        file.seek(first * dtype.itemsize)
        file.write(numbers.astype(dtype).tobytes())


def write(path: Path, parts: Iterable[Array]) -> None:
    """Writes a new file, part by part."""
    dtype = np.dtype(path.suffix[1:])
    with path.open("wb") as file:
        for part in parts:
            file.write(part.astype(dtype).tobytes())


def select(numbers: Array, wanted: NDArray[np.bool_]) -> Iterable[Array]:
    """The numbers that are wanted, part by part."""
    return (some[wanted[start : start + len(some)]] for start, some in in_parts(numbers))


def rows_of(wanted: NDArray[np.bool_]) -> Iterable[Array]:
    """The rows that are wanted, part by part."""
    return (start + np.flatnonzero(some) for start, some in in_parts(wanted))
