"""Where machine code is kept: next to the source or, where that can't be or isn't safe, among the user's own caches."""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from polyhead.kernels.code.permissions import is_safe_folder

CACHES = "NUMBA_CACHE_DIR"
"""The variable of the environment that names a folder for all of Numba's caches; it holds here too."""
_PRIVATE, _READABLE = 0o700, 0o755


@cache
def cache_folder(sources: Path) -> Path | None:
    """The folder for the code of these sources: the first that can be written to, by this user alone. None if none can.

    The folder exists, and no part of its path is a link.
    """
    for folder, mode in _candidates(sources):
        with suppress(OSError):
            _make(folder, mode)
            found = folder.resolve()
            if os.access(found, os.W_OK) and is_safe_folder(found):
                return found
    return None


def _candidates(sources: Path) -> Iterator[tuple[Path, int]]:
    """The folders that may be used, the best one first, and with which permissions they are made."""
    apart = f"{sources.name}-{sha256(str(sources).encode()).hexdigest()[:16]}"
    if caches := os.environ.get(CACHES):
        yield Path(caches, apart), _READABLE
    else:
        yield sources / "__pycache__", _READABLE
    with suppress(RuntimeError):  # nobody's home is known
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "polyhead", apart), _PRIVATE


def _make(folder: Path, mode: int) -> None:
    """Makes a folder and what is missing above it, with permissions that give others no more than the umask does."""
    for each in reversed((folder, *folder.parents)):
        with suppress(FileExistsError):
            if not each.is_dir():
                each.mkdir(mode)
