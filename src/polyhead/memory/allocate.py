"""Arrays whose memory goes back to the system the moment they are gone.

The C library keeps what a thread frees for what that thread asks for next. The pasts of searches are of all sizes and
up to tens of MiB: the memory that would be kept of them adds up to more than is in use.
"""

import errno
import mmap
from math import prod

import numpy as np
from numpy.typing import NDArray

LARGE = 1 << 20
"""Bytes from which an array gets pages of its own."""


def empty(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """np.empty in float32; of a large one the pages that nobody writes to take no memory."""
    size = 4 * prod(shape)
    if size < LARGE:
        return np.empty(shape, np.float32)
    return np.frombuffer(_pages(size), np.float32).reshape(shape)


def _pages(size: int) -> mmap.mmap:
    """Memory of zeros. It is private, as only then may it lie on huge pages, which the system clears faster.

    Raises MemoryError where it can't be had.
    """
    try:
        if not hasattr(mmap, "MADV_HUGEPAGE"):
            return mmap.mmap(-1, size)
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        pages.madvise(mmap.MADV_HUGEPAGE)
        return pages
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise MemoryError(f"{size:,} bytes of memory could not be had") from error
