"""The checked form of every kernel: with NUMBA_BOUNDSCHECK=1 each index is compared with its array before it is used.

It is for tests: what is wrong raises IndexError where it would read or change somebody else's numbers. Numba alone lets
an index count from the end if it is negative, which in a kernel is as wrong as one that is too large. Loops that are
written in LLVM's instructions see addresses and no arrays: what calls them asks `arrays.bounds` first.
Code of this form has files of its own, as whatever Numba is told makes another file.
"""

import os
from importlib import import_module
from typing import Any

CHECKED = os.environ.get("NUMBA_BOUNDSCHECK", "0").strip() not in ("", "0")
"""Whether this process compiles and runs the checked form of kernels."""


def refuse_negative_indices() -> None:
    """Makes Numba add no length to an index below 0 from now on, so that its own bounds check finds such an index."""
    types: Any = import_module("numba.core.types")
    arrays: Any = import_module("numba.np.arrayobj")

    def as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)

    arrays.fix_integer_index = as_it_is
