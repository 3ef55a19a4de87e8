"""Machine code in files: next to the source or, where that can't be written, among the user's own caches."""

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from threading import get_ident

from polyhead.hardware import WITHOUT, processor

OWN = Path(__file__).parents[1]
"""The folder of our kernels."""
SUFFIX = ".code"
CACHES = "NUMBA_CACHE_DIR"
"""The variable of the environment that names a folder for all of Numba's caches; it holds here too."""


@dataclass(frozen=True)
class Code:
    """What a function was compiled to."""

    entry: str
    """The symbol that Python calls."""
    surroundings: str
    """The one of the variable that says where what surrounds the function is."""
    file: bytes
    """An object file."""


def place_of(source: Path, function: str, kinds: str) -> Path | None:
    """The file for a function and its arguments, on this CPU and of these libraries; None if there can be no file."""
    folder, changed = _folder(source.parent), _changed(source.parent)
    if folder is None or changed is None:
        return None
    said = "\n".join([_circumstances(), str(changed), kinds])
    return folder / f"{source.stem}.{function}-{sha256(said.encode()).hexdigest()[:32]}{SUFFIX}"


def read(place: Path) -> Code | None:
    """What is there, if it is whole."""
    with suppress(OSError, ValueError, TypeError):
        head, _, file = place.read_bytes().partition(b"\n")
        said = json.loads(head)
        if len(file) == said.pop("size"):
            return Code(**said, file=file)
    return None


def write(place: Path, code: Code) -> None:
    """Keeps it if that is possible: who reads meanwhile finds all of it or nothing."""
    head = {"entry": code.entry, "surroundings": code.surroundings, "size": len(code.file)}
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        written = place.with_name(f"{place.name}.{os.getpid()}.{get_ident()}")
        written.write_bytes(json.dumps(head).encode() + b"\n" + code.file)
        written.replace(place)


@cache
def _folder(sources: Path) -> Path | None:
    """Where the code of these sources is kept."""
    apart = f"{sources.name}-{sha256(str(sources).encode()).hexdigest()[:16]}"
    if caches := os.environ.get(CACHES):
        return Path(caches, apart)
    beside = sources / "__pycache__"
    with suppress(OSError):
        beside.mkdir(exist_ok=True)
        if os.access(beside, os.W_OK):
            return beside
    with suppress(RuntimeError):  # nobody's home is known
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "polyhead", apart)
    return None


@cache
def _changed(sources: Path) -> int | None:
    """When one of them, or of our own, last was, in nanoseconds: a kernel has in it what it calls from other files."""
    with suppress(OSError, ValueError):
        return max(source.stat().st_mtime_ns for source in (*sources.glob("*.py"), *sources_in(OWN)))
    return None


def sources_in(kernels: Path) -> list[Path]:
    """Of a folder of kernels and the rooms in it."""
    return [*kernels.glob("*.py"), *kernels.glob("[!_]*/*.py")]


@cache
def _circumstances() -> str:
    """All that code depends on but its source."""
    versions = [f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy")]
    told = [f"{name} {value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    said = map(str, processor().items())
    return "\n".join([str(sys.implementation.cache_tag), *versions, *told, *said, *WITHOUT])
