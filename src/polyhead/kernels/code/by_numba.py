"""Numba's own cache, where machine code can't be called without it: of the same sources, in the same safe places.

Numba keeps pickles, which do what they please when they are read: they are read only where nobody else can put any.
"""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from polyhead.kernels.code.eviction import BY_NUMBA, sweep
from polyhead.kernels.code.folders import cache_folder
from polyhead.kernels.code.permissions import are_safe_files
from polyhead.kernels.code.sources import digest_of

_DIGITS = 16
"""Of the sources' digest, in a folder's name."""


def let_keep(dispatcher: Any, source: Path, config: Any) -> None:
    """Numba keeps what this function is compiled to, if there is a safe folder for it; else every process compiles.

    The folder is named by the sources' digest: Numba itself would see no change of what a kernel calls in other files.
    `config` is Numba's; to be called by one thread at a time.
    """
    folder, sources = cache_folder(source.parent), digest_of(source.parent)
    if folder is None or sources is None:
        return
    kept = folder / f"{BY_NUMBA}{sources[:_DIGITS]}"
    if not _is_safe(kept):
        return
    sweep(folder, sources[:_DIGITS])
    before, config.CACHE_DIR = config.CACHE_DIR, str(kept)
    try:
        with suppress(RuntimeError):  # nothing can be written there
            dispatcher.enable_caching()
    finally:
        config.CACHE_DIR = before


@cache
def _is_safe(kept: Path) -> bool:
    """As it was before this process came. Where there is none, it is made, for this user alone."""
    with suppress(OSError):
        kept.mkdir(0o700)
    return are_safe_files(kept)
