"""A file to be read, wherever it lies: by itself on the disk, or inside an archive, which is never unpacked."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO


@dataclass(frozen=True)
class Member:
    """A file to be read."""

    name: str
    """What messages call the file: its path or, inside an archive, the archive's path and the name in there."""
    open: Callable[[], IO[bytes]]
    """Opens the file anew, at its beginning, as it is stored. Raises OSError."""
    size: int | None
    """Bytes that the file takes on the disk; None where that isn't known, as for a pipe."""
    path: Path | None = None
    """The path at which libraries can open the file themselves; None inside an archive."""

    @classmethod
    def of(cls, path: Path) -> "Member":
        """The file at a path. It need not exist: then opening it raises an error."""
        size = path.stat().st_size if path.is_file() else None
        return cls(str(path), lambda: path.open("rb"), size, path)

    @property
    def suffix(self) -> str:
        """The last ending of the name, in lower case: `.gz` of `a.TMX.GZ`."""
        return Path(self.name).suffix.lower()
