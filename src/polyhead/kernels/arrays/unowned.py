"""Arrays that somebody else keeps alive, and how a kernel keeps its own alive.

Numba counts who uses an array, at every view of a part of it too. A count that several threads change goes from core to
core, which takes longer than a small product; and in an inner loop counting costs something in any case.
"""

from typing import Any

import numpy as np

from polyhead.kernels.compiler import intrinsic, numba, types
from polyhead.kernels.kernel import kernel


@intrinsic
def unowned(typing_context: Any, value: Any) -> Any:
    """An array, or tuples of arrays and numbers → the same without counting, valid as long as the original is kept.

    A kernel's arguments are kept by its caller until it returns.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return without_reference_count(context, builder, signature.args[0], arguments[0])

    return value(value), generate


def without_reference_count(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Writes the instructions of `unowned` for a value of this kind in Numba."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        for place, part in enumerate(kind):
            inner = without_reference_count(context, builder, part, builder.extract_value(value, place))
            value = builder.insert_value(value, inner, place)
    return value


@kernel
def keep_alive(array: Any) -> None:
    """Does nothing but name an array, whose memory Numba gives back after the last line of a kernel that names it.

    To be called with an array that the kernel has made itself, behind the last line that uses its address or a
    `unowned` form of it. Else memory is read and written that may be somebody else's by then.
    """


@intrinsic
def _pointer(typing_context: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(address), generate


@kernel
def float32_at(address: Any, count: int) -> Any:
    """The `count` numbers of float32 at an address, as an array."""
    return numba.carray(_pointer(address), (count,), np.float32)


@kernel
def bfloat16_at(address: Any, count: int) -> Any:
    """The `count` numbers of bfloat16 at an address, as an array."""
    return numba.carray(_pointer(address), (count,), np.uint16)
