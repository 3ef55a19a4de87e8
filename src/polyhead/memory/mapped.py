"""Arrays that are mapped files: which of their pages stay in this process's memory."""

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray


def let_go(array: NDArray[Any]) -> None:
    """Takes the pages of a mapped array out of this process's memory, to which they come back when they are looked at.

    The array must not have been changed. Nothing happens for one that isn't a mapped file, or where the system can't.
    """
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)
