"""Arguments that are given to a kernel again and again, unpacked once.

A call looks at every array that it is given, in a tuple too: with a Transformer's weights that takes longer than a
small layer does. Pinned, they are one address.
"""

from functools import cache
from typing import Any

import numpy as np

from polyhead.kernels.arrays.unowned import without_reference_count
from polyhead.kernels.code.kinds import OfKind, kind_of
from polyhead.kernels.compiler import WITHIN, extending, intrinsic, numba, typed, types
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, I64

_FIRST = 4096
"""How many bytes are set aside at first; a tuple that needs more gets more."""


class PinnedArgs(OfKind):
    """A tuple of arrays and numbers; kernels read its `.value`, which is valid as long as this object lives."""

    def __init__(self, value: Any) -> None:
        self._value, self.kind = value, (PinnedArgs, kind_of(value))
        self._memory = np.empty(_FIRST, np.uint8)
        needed = _put(value, self._memory)
        if needed > len(self._memory):
            self._memory = np.empty(needed, np.uint8)
            _put(value, self._memory)
        self.address = self._memory.ctypes.data

    def __reduce__(self) -> Any:
        """Pickles the tuple without its address, which another process could not use; there it is pinned anew."""
        return pin_args, (self._value,)

    @property
    def _numba_type_(self) -> Any:
        return _kind()(numba.typeof(self._value))


def pin_args(value: Any) -> PinnedArgs:
    """Unpacks a tuple of arrays and numbers, which kernels then take as one argument."""
    return PinnedArgs(value)


@kernel
def _put(value: Any, memory: Any) -> int:
    """Writes a value to memory [bytes] if that is large enough. Returns how many bytes the value takes."""
    size = _size(value)
    if size <= memory.shape[0]:
        _store(value, memory.ctypes.data)
    return size


@intrinsic
def _size(typing_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return I64(context.get_abi_sizeof(context.get_value_type(value)))

    return typed(COUNT, value), generate


@intrinsic
def _store(typing_context: Any, value: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given, address = arguments
        builder.store(
            without_reference_count(context, builder, value, given), builder.inttoptr(address, given.type.as_pointer())
        )
        return context.get_dummy_value()

    return typed("void", value, ADDRESS), generate


@intrinsic
def _value_of(typing_context: Any, kept: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], context.get_value_type(kept.value).as_pointer()))

    return typed(kept.value, kept), generate


@cache
def _kind() -> Any:
    """The class of Numba's types for pinned arguments."""

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
            super().__init__(manager, kind, I64)

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
