"""A digest of sources: machine code is for the sources that it was made of, whenever they were written.

A time stamp would not do: `git checkout`, `touch`, `rsync -t` and clocks change times without contents, or the reverse.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

OWN = Path(__file__).parents[1]
"""The folder of our kernels."""


def _contents(folder: Path, files: Iterable[Path]) -> bytes | None:
    """The name and digest of each of some files in a folder, as bytes; None where one can't be read."""
    named = sorted((file.relative_to(folder).as_posix(), file) for file in files)
    try:
        return b"".join(name.encode() + b"\0" + sha256(file.read_bytes()).digest() for name, file in named)
    except OSError:
        return None


def _ours() -> bytes | None:
    return _contents(OWN, [*OWN.glob("*.py"), *OWN.glob("[!_]*/*.py")])


_IMPORTED = _ours()
"""The kernels' sources, read with this module, which kernels import first: what changes later is not what runs here."""


@cache
def digest_of(folder: Path) -> str | None:
    """The SHA-256 of all sources that code of this folder may contain: its own and the kernels'; None if unreadable.

    A process has one answer for a folder.
    """
    return _together(folder, _IMPORTED)


def are_unchanged(folder: Path) -> bool:
    """Whether the sources still are what they were when they were first asked for."""
    return digest_of(folder) == _together(folder, _ours())


def _together(folder: Path, ours: bytes | None) -> str | None:
    beside = b"" if folder.is_relative_to(OWN) else _contents(folder, folder.glob("*.py"))
    return None if ours is None or beside is None else sha256(ours + beside).hexdigest()
