"""Freed memory goes back to the system.

glibc keeps what a program frees for what it asks for next. Batches are of all sizes, so what is kept lies in pieces
that fit ever fewer of them, and a server under load seems to grow.
"""

import ctypes
import sys
from collections.abc import Callable
from typing import Any


def _trimmer() -> Callable[[int], Any] | None:
    """glibc's malloc_trim; None where there is another C library."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


_trim = _trimmer()


def give_back() -> None:
    """Gives whole pages of freed memory back; where the C library can't, nothing happens. Takes milliseconds."""
    if _trim is not None:
        _trim(0)
