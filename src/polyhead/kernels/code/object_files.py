"""Machine code in files, each with the digest of its name and content: what is not as it was written is never run."""

import json
import os
import platform
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from threading import get_ident

from polyhead.hardware import WITHOUT, processor
from polyhead.kernels.code.eviction import SUFFIX, mark_used, sweep
from polyhead.kernels.code.folders import cache_folder
from polyhead.kernels.code.permissions import read_safely
from polyhead.kernels.code.sources import digest_of

_MOST = 1 << 26
"""How many bytes a file has at most; those of kernels have a few hundred thousand."""
_DIGITS = 16
"""How many digits of the sources' digest are in a file's name."""


@dataclass(frozen=True)
class ObjectFile:
    """What a function was compiled to."""

    entry: str
    """The symbol that Python calls."""
    environment: str
    """The symbol of the variable that points to Numba's `Environment` of the function."""
    needs: tuple[str, ...]
    """The symbols of functions and variables that are not in the file."""
    file: bytes
    """The contents of an object file."""


def file_of(source: Path, function: str, kinds: str) -> Path | None:
    """The file for a function and its arguments, on this CPU and of these libraries; None if there can be no file."""
    folder, sources = cache_folder(source.parent), digest_of(source.parent)
    if folder is None or sources is None:
        return None
    said = "\n".join([_environment(), sources, kinds])
    key = sha256(said.encode()).hexdigest()[:32]
    return folder / f"{source.stem}.{function}-{sources[:_DIGITS]}-{key}{SUFFIX}"


def read(path: Path) -> ObjectFile | None:
    """What is in a file, if it is to the bit what was written there and nobody else can have written it; else None.

    A file that fails these checks is deleted: it would never pass them again.
    """
    try:
        digest, _, content = read_safely(path, _MOST).partition(b"\n")
        if digest != _digest(path, content):
            raise ValueError(f"{path} is damaged")
        head, _, file = content.partition(b"\n")
        said = json.loads(head)
        found = ObjectFile(said["entry"], said["environment"], tuple(said["needs"]), file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError):
        with suppress(OSError):
            path.unlink()
        return None
    mark_used(path)
    return found


def write(path: Path, code: ObjectFile) -> None:
    """Writes code to a file if that is possible. A process that reads meanwhile finds all of it or nothing."""
    head = {"entry": code.entry, "environment": code.environment, "needs": code.needs}
    content = json.dumps(head).encode() + b"\n" + code.file
    written = path.with_name(f"{path.name}.{os.getpid()}.{get_ident()}")
    with suppress(OSError):
        try:
            _write_new(written, _digest(path, content) + b"\n" + content)
            written.replace(path)
        finally:
            written.unlink(missing_ok=True)
    sweep(path.parent, path.name.split("-")[-2])


def _write_new(file: Path, content: bytes) -> None:
    """Writes a new file, which others may read as far as the user's umask lets them, and never write to."""
    with suppress(FileNotFoundError):
        file.unlink()  # of a process that had the same number
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(file, flags, 0o644), "wb") as opened:
        opened.write(content)


def _digest(path: Path, content: bytes) -> bytes:
    """The SHA-256 of a file's name and content: code that was copied to another kernel's name is not that kernel."""
    return sha256(path.name.encode() + b"\n" + content).hexdigest().encode()


@cache
def _environment() -> str:
    """All that machine code depends on, except its sources and its arguments' kinds.

    The kind of machine is part of it, because not every system says what its processor is, and because two kinds may
    share a folder: Python for Intel's and for Apple's processors on one Mac, or the nodes of a cluster.
    """
    machine = [platform.system(), platform.machine(), os.environ.get("PROCESSOR_IDENTIFIER", "")]  # the last: Windows
    versions = [f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy")]
    told = [f"{name} {value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    said = map(str, processor().items())
    return "\n".join([*machine, str(sys.implementation.cache_tag), *versions, *told, *said, *WITHOUT])
