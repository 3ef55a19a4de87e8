"""The kinds of arguments: all arguments of one kind are computed with by the same machine code."""

from collections.abc import Hashable
from typing import Any

import numpy as np

Kind = Hashable

_ORDERED, _FORTRAN, _ALIGNED, _WRITABLE = 0x1, 0x2, 0x100, 0x400
"""NumPy's flags of an array that make a difference."""
_ARRAY = np.ndarray
_plain: set[type] = set()
"""The classes seen so far, as those of numbers, that are the kinds of their objects."""


class OfKind:
    """An argument that says itself of what kind it is."""

    kind: Kind


def kind_of(value: Any) -> Kind:
    """An argument's kind: an array's dtype, axes and flags; a tuple's class and its parts' kinds; else the class.

    This is asked of every argument of every call: kinds may differ here that `named` says are the same.
    """
    found: Any = type(value)
    if found is _ARRAY:
        return value.dtype, value.ndim, value.flags.num
    if found in _plain:
        return found
    if issubclass(found, tuple):
        return found, *map(kind_of, value)
    if issubclass(found, OfKind):
        return value.kind
    if issubclass(found, _ARRAY):
        return kind_of(value.view(_ARRAY))
    _plain.add(found)
    return found


def named(kind: Any) -> str:
    """The name of a kind, the same in every process and for all kinds that machine code does not tell apart."""
    if isinstance(kind, type):
        return f"{kind.__module__}.{kind.__qualname__}"
    first, *others = kind
    if isinstance(first, np.dtype):
        axes, flags = others
        order = "C" if flags & _ORDERED else "F" if flags & _FORTRAN else "A"
        return f"{first.str}[{axes}{order}]{flags & (_ALIGNED | _WRITABLE):x}"
    return f"{named(first)}({', '.join(map(named, others))})"
