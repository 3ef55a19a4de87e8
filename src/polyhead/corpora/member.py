"""A file to be read, wherever it lies: by itself on the disk, or inside an archive, which is never unpacked."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO


@dataclass(frozen=True)
class Member:
    """One file."""

    name: str
    """What messages call it: its path, and behind the path of an archive its name in there."""
    open: Callable[[], IO[bytes]]
    """Opens it anew, from its beginning, as it is stored. Raises OSError."""
    size: int | None
    """Bytes that it takes on the disk; None where that isn't known, as of a pipe."""
    path: Path | None = None
    """Where it can be opened by others; None inside an archive."""

    @classmethod
    def of(cls, path: Path) -> "Member":
        """The file of that name, which need not exist yet: opening it says so."""
        size = path.stat().st_size if path.is_file() else None
        return cls(str(path), lambda: path.open("rb"), size, path)

    @property
    def suffix(self) -> str:
        """The last ending of the name, in lower case: `.gz` of `a.TMX.GZ`."""
        return Path(self.name).suffix.lower()
