"""The areas of this process's memory, as Linux lists them, and what it can be told about them."""

import ctypes
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAPS = Path("/proc/self/maps")
"""Where Linux lists a process's memory: for each area a line with addresses and rights."""
SMAPS = Path("/proc/self/smaps")
"""Where Linux lists what MAPS has, with lines of counts after each line, for which it looks at every page."""
WRITTEN = ("Anonymous:", "Swap:")
"""The names of the counts of a private area's pages that are no longer a file's."""


@dataclass(frozen=True)
class Area:
    """One area of a process's memory: a stretch of addresses."""

    start: int
    end: int
    rights: str
    """What may be done with the memory: r, w, x and p for private, as in `rw-p`."""
    name: str
    """The path of the file that is mapped, or Linux's name such as `[heap]`; empty for memory without a name."""
    written: bool | None
    """Whether anything in it is this process's own; None where that wasn't counted."""

    @property
    def own(self) -> bool:
        """Memory that belongs to no file and that the process writes itself."""
        return self.rights == "rw-p" and self.name in ("", "[heap]")

    @property
    def unwritten_file(self) -> bool:
        """A file's contents as they are on disk, private: what is dropped comes back when it is looked at."""
        return self.rights.endswith("p") and self.name.startswith("/") and self.written is False


def areas(listing: Path = MAPS) -> list[Area]:
    """The areas of this process, as MAPS or SMAPS lists them; none where the system doesn't say."""
    if sys.platform != "linux":
        return []
    try:
        return list(parse(listing.read_text(encoding="utf-8", errors="replace")))
    except OSError:
        return []


def parse(listed: str) -> Iterator[Area]:
    """The areas that a text like that of MAPS or SMAPS lists."""
    heading, written = "", None
    for line in listed.splitlines():
        if line[0] in "0123456789abcdef":  # the names of counts begin with a capital
            if heading:
                yield _area(heading, written)
            heading, written = line, None
        elif line.startswith(WRITTEN):
            written = bool(written) or line.split()[1] != "0"
    if heading:
        yield _area(heading, written)


def _area(heading: str, written: bool | None) -> Area:
    addresses, rights, _, _, _, *name = heading.split(maxsplit=5)
    start, end = (int(address, 16) for address in addresses.split("-"))
    return Area(start, end, rights, name[0] if name else "", written)


def advise(start: int, length: int, advice: int) -> None:
    """Calls Linux's madvise for `length` bytes from an address on; Linux may decline the advice."""
    ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(length), advice)
