"""Numba's own cache, for systems where machine code can't be called without Numba, in the same safe folders.

Numba keeps pickles, which can run any code when they are read: they are read only where nobody else can put any.
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
"""How many digits of the sources' digest are in a folder's name."""


def let_keep(dispatcher: Any, source: Path, config: Any) -> None:
    """Lets Numba keep what a function is compiled to, if there is a safe folder for it; else every process compiles.

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
    """Whether a folder was safe when this process first asked. If it is missing, it is made, for this user alone."""
    with suppress(OSError):
        kept.mkdir(0o700)
    return are_safe_files(kept)
