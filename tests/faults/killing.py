"""Ends a process before its n-th operation on files below a directory, or in the middle of one that writes.

Python tells an audit hook when a file is opened, renamed, deleted or made. Writing and flushing to disk it tells
nobody: there the functions themselves are replaced, those of safetensors too, which write without Python.
"""

import builtins
import io
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import safetensors.numpy
import safetensors.torch

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
EVENTS = {
    "os.rename": "rename",
    "os.remove": "delete",
    "os.mkdir": "make a directory",
    "os.rmdir": "delete a directory",
    "os.chmod": "change the mode of",
    "os.truncate": "truncate",
    "os.link": "link",
}
"""Audit events → what is about to be done to their first argument."""


def install(below: str, before: int | None, log: str | None) -> None:
    """From now on this process is killed before operation number `before` (from 1), and all are written to `log`."""
    counter = Counter(Path(below).resolve(), before, None if log is None else os.open(log, os.O_WRONLY | os.O_CREAT))
    sys.addaudithook(counter.audit)
    replace_flushing(counter)
    replace_writing(counter)
    for module in (safetensors.numpy, safetensors.torch):
        module.serialize_file = writing_tensors(counter, module.serialize_file)


class Counter:
    """Counts operations, and ends the process when its number has come."""

    def __init__(self, below: Path, before: int | None, log: int | None) -> None:
        self.below, self.before, self.log = below, before, log
        self.number = 0
        self.lock = threading.RLock()
        self.write = os.write

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """What Python calls before it does something."""
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str | bytes | os.PathLike) and flags & WRITING:
                self.step("open for writing", path)
        elif event in EVENTS:
            self.step(EVENTS[event], arguments[0], arguments[1] if event in ("os.remove", "os.rmdir") else -1)

    def step(self, operation: str, file: Any, directory: int = -1) -> bool:
        """Counts one operation → whether it is on one of the files that count."""
        path = self.path_of(file, directory)
        if path is None or not path.is_relative_to(self.below):
            return False
        with self.lock:
            if self.fatal:
                os.kill(os.getpid(), signal.SIGKILL)
            self.number += 1
            if self.log is not None:
                self.write(self.log, f"{self.number}\t{operation}\t{path.relative_to(self.below)}\n".encode())
        return True

    @property
    def fatal(self) -> bool:
        """Whether the next operation is the one that never happens."""
        return self.before is not None and self.number + 1 >= self.before

    def path_of(self, file: Any, directory: int = -1) -> Path | None:
        """The path behind a name or a descriptor; None if there is none."""
        try:
            if isinstance(file, int):
                return Path(f"/proc/self/fd/{file}").readlink()
            path = Path(os.fsdecode(file))
            start = Path(f"/proc/self/fd/{directory}").readlink() if directory >= 0 else Path.cwd()
            return start / path
        except (OSError, TypeError):
            return None


def replace_flushing(counter: Counter) -> None:
    """`os.fsync` and its like count."""
    for name in ("fsync", "fdatasync"):
        if (flush := getattr(os, name, None)) is not None:
            setattr(os, name, counted(counter, "flush", flush))


def counted(counter: Counter, operation: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a descriptor that is counted before it is done."""

    def call(file: Any, *rest: Any) -> Any:
        counter.step(operation, file if isinstance(file, int) else file.fileno())
        return function(file, *rest)

    return call


def replace_writing(counter: Counter) -> None:
    """What `open` gives counts each `write`, before and in the middle of it."""
    real = io.open

    def opened(file: Any, mode: str = "r", *rest: Any, **more: Any) -> Any:
        stream = real(file, mode, *rest, **more)
        path = counter.path_of(file)
        if set(mode) & set("wax+") and path is not None and path.is_relative_to(counter.below):
            stream.write = writing(counter, path, stream, stream.write)
        return stream

    io.open = builtins.open = opened  # type: ignore[assignment]


def writing(counter: Counter, path: Path, stream: Any, write: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A stream's `write`, which may end the process when half is on disk."""

    def call(content: Any) -> Any:
        counter.step("write", path)
        if counter.fatal:
            write(content[: len(content) // 2])
            stream.flush()
        counter.step("write the second half of", path)
        return write(content)

    return call


def writing_tensors(counter: Counter, serialize_file: Callable[..., None]) -> Callable[..., None]:
    """The same for a file of safetensors, which is written in place, or to a file beside it by a name of its own."""

    def call(tensors: Any, filename: Any, metadata: Any = None) -> None:
        counts = counter.step("write", filename)
        serialize_file(tensors, filename, metadata)
        if counts:
            if counter.fatal:
                os.truncate(filename, Path(filename).stat().st_size // 2)
                shutil.copyfile(filename, Path(filename).with_name(".tmpQ3x8Za"))
            counter.step("write the second half of", filename)

    return call
