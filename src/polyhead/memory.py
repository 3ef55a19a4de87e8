"""Memory that was freed."""

import ctypes
import sys


def trim() -> None:
    """Gives whole pages of freed memory back to the system; where the C library isn't glibc nothing happens.

    glibc keeps what is freed for what is asked for next. Batches are of all sizes, so what is kept lies in pieces that
    fit ever fewer of them: a server under load seems to grow, and so does a long training. Takes milliseconds.
    """
    release = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if release is not None:
        release(0)
