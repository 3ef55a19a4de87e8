"""Memory that was freed, and memory that could not be had."""

import ctypes
import sys
from collections.abc import Generator
from contextlib import contextmanager


def trim() -> None:
    """Gives whole pages of freed memory back to the system; where the C library isn't glibc nothing happens.

    glibc keeps what is freed for what is asked for next. Batches are of all sizes, so what is kept lies in pieces that
    fit ever fewer of them: a server under load seems to grow, and so does a long training. Takes milliseconds.
    """
    release = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if release is not None:
        release(0)


@contextmanager
def trimmed() -> Generator[None]:
    """`trim`s before and after what is done within, so that it begins with what was freed, and leaves nothing freed."""
    trim()
    try:
        yield
    finally:
        trim()


def return_at_once() -> None:
    """From now on glibc gives large blocks back to the system as soon as they are freed, which takes a little time.

    By itself glibc begins to keep ever larger blocks. Where the weights of one layer after the other are brought
    together and freed, it would come to keep about as much memory as all weights take.
    """
    choose = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if choose is not None:
        choose(_MMAP_THRESHOLD, LARGE)


LARGE = 256 << 10
"""Bytes from which a block is given back at once."""
_MMAP_THRESHOLD = -3
"""M_MMAP_THRESHOLD of malloc.h."""


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory could not be had, in main memory or on a GPU, whichever library says so."""
    if isinstance(error, MemoryError):  # Python's, NumPy's, Numba's
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _PYTORCHS_WORDS)


_PYTORCHS_WORDS = (
    "can't allocate memory",
    "not enough memory",
    "out of memory",
    "bad_alloc",
    "cublas_status_alloc_failed",
)
