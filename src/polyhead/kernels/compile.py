"""How a kernel becomes machine code.

Numba and LLVM have no types that a checker could follow: here they are `Any`.
"""

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

numba: Any = import_module("numba")
intrinsic: Any = import_module("numba.extending").intrinsic
overload: Any = import_module("numba.extending").overload
types: Any = numba.types
ir: Any = import_module("llvmlite.ir")

F = TypeVar("F", bound=Callable[..., Any])

MATHS = {"reassoc", "contract", "arcp", "nsz"}
"""Sums in any order, so that they are vectorised; infinities and NaN stay what they are."""


def kernel(function: F) -> F:
    """The function compiled when it is first called, for this CPU, without the interpreter's lock.

    Machine code is kept in a cache next to the source or, where that can't be written, in the user's own; where there
    is neither, every process compiles anew.
    """
    options = {"nogil": True, "error_model": "numpy", "fastmath": MATHS}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no directory that a cache could be in
        return numba.njit(**options)(function)


def forget_older_code(directory: Path) -> None:
    """Empties the cache if a kernel's source is newer: of what a kernel calls in other files, Numba sees no change."""
    with suppress(OSError):
        newest = max(source.stat().st_mtime for source in directory.glob("*.py"))
        for index in directory.glob("__pycache__/*.nbi"):
            if index.stat().st_mtime < newest:
                index.unlink(missing_ok=True)


forget_older_code(Path(__file__).parent)
