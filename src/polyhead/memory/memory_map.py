"""The areas of this process's memory, as Linux lists them, and what it can be told about them."""

import ctypes
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SMAPS = Path("/proc/self/smaps")
"""Where Linux lists a process's memory: for each area a line with addresses and rights, then lines of counts."""
WRITTEN = ("Anonymous:", "Swap:")
"""The counts of a private area's pages that are no longer a file's."""


@dataclass(frozen=True)
class Area:
    """A stretch of addresses."""

    start: int
    end: int
    rights: str
    """r, w, x and p for private, as in `rw-p`."""
    name: str
    """The file's path, or what Linux calls it, such as `[heap]`; empty for memory without a name."""
    written: bool
    """Whether anything in it is this process's own."""

    @property
    def own(self) -> bool:
        """Memory that belongs to no file and that the process writes itself."""
        return self.rights == "rw-p" and self.name in ("", "[heap]")

    @property
    def unwritten_file(self) -> bool:
        """A file's contents as they are on disk, private: what is dropped comes back when it is looked at."""
        return self.rights.endswith("p") and self.name.startswith("/") and not self.written


def areas() -> list[Area]:
    """The areas of this process; none where the system doesn't say."""
    if sys.platform != "linux":
        return []
    try:
        return list(parse(SMAPS.read_text(encoding="utf-8", errors="replace")))
    except OSError:
        return []


def parse(smaps: str) -> Iterator[Area]:
    """The areas that a text like `/proc/self/smaps` lists."""
    heading, written = "", False
    for line in smaps.splitlines():
        word, *counts = line.split(maxsplit=2)
        if not word.endswith(":"):
            if heading:
                yield _area(heading, written)
            heading, written = line, False
        elif word in WRITTEN:
            written = written or counts[0] != "0"
    if heading:
        yield _area(heading, written)


def _area(heading: str, written: bool) -> Area:
    addresses, rights, _, _, _, *name = heading.split(maxsplit=5)
    start, end = (int(address, 16) for address in addresses.split("-"))
    return Area(start, end, rights, name[0] if name else "", written)


def advise(start: int, length: int, advice: int) -> None:
    """Linux's madvise; it may decline."""
    ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(length), advice)
