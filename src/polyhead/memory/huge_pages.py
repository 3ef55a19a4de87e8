"""Moves what packing leaves in memory onto large pages, and gives back to the system what packing has freed.

A step reads every packed weight, and a processor knows the addresses of only a few small pages at a time.
"""

import ctypes
import mmap
from collections.abc import Generator, Iterable
from contextlib import contextmanager

from polyhead.memory.freed import trim
from polyhead.memory.memory_map import Area, advise, areas

LARGE = 1 << 21
"""Bytes of a large page."""
HUGEPAGE, COLLAPSE = 14, 25
"""Linux's madvise: large pages are welcome here; move what is here onto them (since Linux 6.1)."""
MOSTLY = 0.75
"""The share of a large page that must be in use before it is moved: the rest of the page will take memory too."""


@contextmanager
def large_pages() -> Generator[None]:
    """Asks Linux to hold what the block leaves in memory on pages of 2 MiB; it may decline.

    A sentence alone is where it counts: its steps mostly wait for weights. What the block freed goes back to the system
    first, as a large page fills its gaps. Elsewhere nothing happens.
    """
    before = whole_pages(areas())
    yield
    trim()
    for page in whole_pages(areas()) - before:
        if in_use(page) >= MOSTLY:
            for advice in (HUGEPAGE, COLLAPSE):
                advise(page, LARGE, advice)


def whole_pages(listed: Iterable[Area]) -> set[int]:
    """The addresses of the whole large pages of memory that a process writes itself."""
    pages: set[int] = set()
    for area in listed:
        if area.own:
            pages.update(range(-(-area.start // LARGE) * LARGE, area.end // LARGE * LARGE, LARGE))
    return pages


def in_use(page: int) -> float:
    """The share of a large page that takes memory now."""
    small = LARGE // mmap.PAGESIZE
    present = (ctypes.c_ubyte * small)()
    ctypes.CDLL(None).mincore(ctypes.c_void_p(page), ctypes.c_size_t(LARGE), present)
    return sum(each & 1 for each in present) / small
