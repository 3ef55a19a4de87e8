"""Arguments that are given to a kernel again and again, unpacked once.

A call looks at every array that it is given, in a tuple too: with a Transformer's weights that takes longer than a
small layer does. Kept, they are one address.
"""

from functools import cache
from typing import Any

import numpy as np

from polyhead.kernels.arrays.unowned import uncounted
from polyhead.kernels.code.kinds import OfKind, kind_of
from polyhead.kernels.compiler import WITHIN, extending, intrinsic, numba, typed, types
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, LONG

_FIRST = 4096
"""How many bytes are set aside at first; a tuple that needs more gets more."""


class Kept(OfKind):
    """A tuple of arrays and numbers; kernels read its `.value`, which holds as long as this is kept."""

    def __init__(self, value: Any) -> None:
        self._value, self.kind = value, (Kept, kind_of(value))
        self._room = np.empty(_FIRST, np.uint8)
        needed = _put(value, self._room)
        if needed > len(self._room):
            self._room = np.empty(needed, np.uint8)
            _put(value, self._room)
        self.address = self._room.ctypes.data

    def __reduce__(self) -> Any:
        """What is kept is pickled without its address, which another process could not use, and is kept anew there."""
        return keep, (self._value,)

    @property
    def _numba_type_(self) -> Any:
        return _kind()(numba.typeof(self._value))


def keep(value: Any) -> Kept:
    """Unpacks a tuple of arrays and numbers, which kernels then take as one argument."""
    return Kept(value)


@kernel
def _put(value: Any, room: Any) -> int:
    """Writes it to room [bytes] if that is large enough. Returns how many bytes it takes."""
    size = _size(value)
    if size <= room.shape[0]:
        _store(value, room.ctypes.data)
    return size


@intrinsic
def _size(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return LONG(context.get_abi_sizeof(context.get_value_type(value)))

    return typed(COUNT, value), generate


@intrinsic
def _store(typing_context: Any, value: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given, place = arguments
        builder.store(uncounted(context, builder, value, given), builder.inttoptr(place, given.type.as_pointer()))
        return context.get_dummy_value()

    return typed("void", value, ADDRESS), generate


@intrinsic
def _value_of(typing_context: Any, kept: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], context.get_value_type(kept.value).as_pointer()))

    return typed(kept.value, kept), generate


@cache
def _kind() -> Any:
    """The class of what is kept, as Numba sees it."""

    class KeptType(types.Type):
        def __init__(self, value: Any) -> None:
            self.value = value
            super().__init__(f"Kept({value})")

        @property
        def key(self) -> Any:
            return self.value

    @extending.register_model(KeptType)
    class Address(extending.models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, LONG)

    @extending.unbox(KeptType)
    def address(kind: Any, found: Any, c: Any) -> Any:
        number = c.pyapi.object_getattr_string(found, "address")
        value = c.unbox(types.intp, number)
        c.pyapi.decref(number)
        return value

    @extending.overload_attribute(KeptType, "value", strict=False, jit_options=WITHIN)
    def value(kept: Any) -> Any:
        def get(kept: Any) -> Any:
            return _value_of(kept)

        return get

    return KeptType
