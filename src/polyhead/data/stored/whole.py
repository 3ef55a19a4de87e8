"""Directories that are made once: a later run finds them whole, or makes them anew."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from polyhead.errors import ModelError, PolyheadError
from polyhead.files import atomic_directory, remove_leftovers
from polyhead.manifest import check_listed, list_all, read_manifest
from polyhead.run_lock import InUse, exclusive

Say = Callable[[str], None]
_AT_ONCE = 4
"""Files whose digests are computed at the same time."""


def make_once(directory: Path, store: Path, make: Callable[[Path], None], say: Say) -> None:
    """Makes a directory below the store, unless it is there and every file in it is as it was written.

    make: writes everything into the directory that it is given, which gets its name afterwards
    One process does that at a time; others wait for it, and find what it made.
    Raises what `make` raises, and WriteError; then there is nothing new.
    """
    if _is_whole(directory, say):
        return
    with _alone(store, say):
        directory.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(directory.parent)
        if _is_whole(directory, lambda _: None):
            return
        with atomic_directory(directory) as temporary:
            make(temporary)
            list_all(temporary)


def _is_whole(directory: Path, say: Say) -> bool:
    """Whether a directory is there and undamaged. Calls `say` with what is damaged."""
    if not directory.is_dir():
        return False
    try:
        names = read_manifest(directory)
        if not names:
            raise ModelError(f"{directory} is incomplete")
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            list(threads.map(check_listed, [directory / name for name in sorted(names)]))
    except (PolyheadError, OSError) as error:
        say(f"{str(error).partition(';')[0]}: it is made anew")
        return False
    return True


@contextmanager
def _alone(store: Path, say: Say) -> Generator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(exclusive(store))
        except InUse:
            say(f"waiting for another process that prepares a corpus in {store}")
            stack.enter_context(exclusive(store, patience=-1))
        yield
