"""How a kernel becomes machine code.

Numba and LLVM have no types that a checker could follow: here they are `Any`.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from polyhead.hardware import WITHOUT
from polyhead.kernels.cache import KernelCache

numba: Any = import_module("numba")
intrinsic: Any = import_module("numba.extending").intrinsic
overload: Any = import_module("numba.extending").overload
types: Any = numba.types
cgutils: Any = import_module("numba.core.cgutils")
binding: Any = import_module("llvmlite.binding")
ir: Any = import_module("llvmlite.ir")
event: Any = import_module("numba.core.event")

F = TypeVar("F", bound=Callable[..., Any])

if WITHOUT:  # else Numba asks the CPU
    numba.config.CPU_FEATURES = ",".join(
        ("+" if has and not name.startswith(WITHOUT) else "-") + name
        for name, has in binding.get_host_cpu_features().items()
    )

MATHS = {"reassoc", "contract", "arcp", "nsz"}
"""Sums in any order, so that they are vectorised; infinities and NaN stay what they are."""

WITHIN: dict[str, Any] = {"error_model": "numpy", "fastmath": MATHS, "forceinline": True}
"""How everything is compiled. What a kernel calls is part of it: else two kernels that call the same one may each have
it in another form, with sums in another order, and which runs depends on what a process compiled or loaded before."""


def kernel(function: F) -> F:
    """The function compiled when it is first called, for this CPU, without the interpreter's lock.

    Machine code is kept in a cache next to the source or, where that can't be written, in the user's own; where there
    is neither, every process compiles anew.
    """
    options = {"nogil": True, **WITHIN}
    found = numba.njit(**options)(function)
    with suppress(RuntimeError):  # no directory that a cache could be in
        found._cache = KernelCache(function)
    return found


def forget_older_code(directory: Path) -> None:
    """Empties the cache if a kernel's source is newer: of what a kernel calls in other files, Numba sees no change."""
    with suppress(OSError):
        newest = max(source.stat().st_mtime for source in directory.glob("*.py"))
        for index in directory.glob("__pycache__/*.nbi"):
            if index.stat().st_mtime < newest:
                index.unlink(missing_ok=True)


class Announcement(event.Listener):
    """Says, in a process once, why there is a pause: of kernels in the cache there is none."""

    said = False

    def on_start(self, event: Any) -> None:
        """A kernel begins to be compiled."""
        if not self.said:
            self.said = True
            logging.getLogger(__name__).info("compiling for this CPU, which takes some seconds, once")

    def on_end(self, event: Any) -> None:
        """It is compiled."""


forget_older_code(Path(__file__).parent)
event.register("numba:compile", Announcement())
