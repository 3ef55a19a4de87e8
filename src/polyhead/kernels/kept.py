"""Arguments that are given to a kernel again and again, unpacked once.

A call looks at every array that it is given, in a tuple too: with a Transformer's weights that takes longer than a
small layer does. Kept, they are one address.
"""

from importlib import import_module
from typing import Any

from polyhead.kernels.compile import kernel, types

structref: Any = import_module("numba.experimental.structref")


@structref.register
class _KeptType(types.StructRef):
    """The kind of `Kept`, as kernels see it; they read its `.value`."""

    def preprocess_fields(self, fields: Any) -> Any:
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class Kept(structref.StructRefProxy):
    """A tuple of arrays and numbers."""

    def __new__(cls, value: Any) -> Any:
        return structref.StructRefProxy.__new__(cls, value)


structref.define_proxy(Kept, _KeptType, ["value"])


@kernel
def keep(value: Any) -> Any:
    """A tuple → the same as one argument."""
    return Kept(value)
