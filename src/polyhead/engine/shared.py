"""Packed weights that several processes have in memory once: they are pages of a file that all of them map.

The first process that needs an engine packs it and writes it: Python's pickle puts all arrays aside (PEP 574), which
become the file, and what is left is a few KB. Every process then reads the engine with the file's pages as its arrays.
"""

import hashlib
import mmap
import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock

from polyhead.engine.kernel_engine import KernelEngine
from polyhead.errors import PolyheadError
from polyhead.files import atomic_file
from polyhead.kernels.code.permissions import is_safe_folder

_LINE = 64
"""Arrays begin at multiples of so many bytes, as those do that are packed (`kernels.arrays.aligned`)."""


def shared_engine(folder: Path, key: str, pack: Callable[[], KernelEngine]) -> KernelEngine:
    """The engine that `pack` makes, with arrays that all processes share which ask for the same key.

    folder: must belong to nobody else, as what is read from it is trusted
    Raises PolyheadError where others can write to it.
    """
    if not is_safe_folder(folder.resolve()):
        raise PolyheadError(
            f"{folder}: others than this user can write to this folder or put another in its place, so packed weights "
            "are not read from it; take one of your own: mkdir -m 700 FOLDER"
        )
    path = folder / hashlib.sha256(key.encode()).hexdigest()
    with FileLock(f"{path}.lock"):
        if not path.with_suffix(".rest").exists():
            _write(pack(), path)
    return _read(path)


def _write(engine: KernelEngine, path: Path) -> None:
    """Writes the engine's arrays, and then a file with the rest, whose presence says that both are there."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(engine, protocol=5, buffer_callback=arrays.append)
    places: list[tuple[int, int]] = []
    with atomic_file(path) as temporary, temporary.open("wb") as file:
        for array in arrays:
            raw = array.raw()
            file.write(bytes(-file.tell() % _LINE))
            places.append((file.tell(), raw.nbytes))
            file.write(raw)
    with atomic_file(path.with_suffix(".rest")) as temporary:
        temporary.write_bytes(pickle.dumps((rest, places)))


def _read(path: Path) -> KernelEngine:
    rest, places = pickle.loads(path.with_suffix(".rest").read_bytes())
    engine: KernelEngine = pickle.loads(rest, buffers=_pages(path, places))
    return engine


def _pages(path: Path, places: Sequence[tuple[int, int]]) -> list[memoryview]:
    """The arrays of a file. If a process wrote to a page, it would get a copy of its own; none does."""
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return [memoryview(bytearray()) for _ in places]
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    return [whole[start : start + size] for start, size in places]
