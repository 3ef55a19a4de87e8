"""Packed weights on large pages: a step reads every one of them, and a processor finds few small pages at a time."""

import ctypes
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

LARGE = 1 << 21
"""Bytes of a large page."""
HUGEPAGE, COLLAPSE = 14, 25
"""Linux's madvise: large pages are welcome here; move what is here onto them (since Linux 6.1)."""

MAPS = Path("/proc/self/maps")
"""Where Linux lists a process's memory."""


@contextmanager
def large_pages() -> Generator[None]:
    """Asks Linux to hold what the block leaves in memory on pages of 2 MiB; it may decline.

    A sentence alone is where it counts: its steps mostly wait for weights. Elsewhere nothing happens.
    """
    if sys.platform != "linux":
        yield
        return
    before = own_memory(MAPS.read_text(encoding="utf-8"))
    yield
    advise = ctypes.CDLL(None).madvise
    for page in own_memory(MAPS.read_text(encoding="utf-8")) - before:
        for advice in (HUGEPAGE, COLLAPSE):
            advise(ctypes.c_void_p(page), ctypes.c_size_t(LARGE), advice)


def own_memory(maps: str) -> set[int]:
    """A process's map of its memory → the addresses of the whole large pages that it writes itself."""
    pages: set[int] = set()
    for line in maps.splitlines():
        addresses, rights, _, _, _, *name = line.split(maxsplit=5)
        start, end = (int(address, 16) for address in addresses.split("-"))
        if rights == "rw-p" and (not name or name == ["[heap]"]):
            pages.update(range(-(-start // LARGE) * LARGE, end // LARGE * LARGE, LARGE))
    return pages
