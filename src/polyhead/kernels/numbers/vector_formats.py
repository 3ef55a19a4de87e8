"""Numbers that are bfloat16 or float32 in memory and float32 in registers, for functions of LLVM's instructions."""

from collections.abc import Callable
from typing import Any, NamedTuple

from polyhead.kernels.compiler import ir, types
from polyhead.kernels.llvm import F32, I32, LANES, V16F32, V16I16, V16I32, Code
from polyhead.kernels.numbers.bfloat16 import to_bfloat16s

VECTOR_BYTES = 4 * LANES
"""How many bytes a vector of float32 has; so many are looked at together."""
_SIXTEEN = ir.Constant(V16I32, [16] * LANES)


class VectorFormat(NamedTuple):
    """A format of numbers in memory."""

    size: int
    """How many bytes a number has."""
    load: Callable[[Code, Any, Any], Any]
    """(address, offset) → LANES numbers from memory, as float32."""
    store: Callable[[Code, Any, Any, Any], None]
    """(numbers, address, offset) writes LANES numbers of float32 to memory, rounded to the format."""

    @property
    def in_vector(self) -> int:
        """How many numbers VECTOR_BYTES hold."""
        return VECTOR_BYTES // self.size


def format_of(array: Any) -> VectorFormat:
    """The format of the numbers of an array, which is given as its type in Numba."""
    return _FLOAT32 if array.dtype == types.float32 else _BFLOAT16


def magnitudes(code: Code, array: Any, address: Any, offset: Any) -> Any:
    """The absolute values of VECTOR_BYTES of numbers, as integers of the same order; a NaN is the largest of all."""
    bits, count = 8 * format_of(array).size, format_of(array).in_vector
    kind = ir.VectorType(ir.IntType(bits), count)
    return code.builder.and_(code.load(kind, address, offset), ir.Constant(kind, [(1 << bits - 1) - 1] * count))


def magnitude_as_float32(code: Code, magnitude: Any) -> Any:
    """An absolute value from `magnitudes` as float32."""
    builder, missing = code.builder, 32 - magnitude.type.width
    if missing:
        magnitude = builder.shl(builder.zext(magnitude, I32), ir.Constant(I32, missing))
    return builder.bitcast(magnitude, F32)


def _load_bfloat16(code: Code, address: Any, offset: Any) -> Any:
    builder = code.builder
    wide = builder.zext(code.load(V16I16, address, offset), V16I32)
    return builder.bitcast(builder.shl(wide, _SIXTEEN), V16F32)


def _load_float32(code: Code, address: Any, offset: Any) -> Any:
    return code.load(V16F32, address, offset)


def _store_bfloat16(code: Code, numbers: Any, address: Any, offset: Any) -> None:
    code.store(to_bfloat16s(code, numbers), address, offset)


def _store_float32(code: Code, numbers: Any, address: Any, offset: Any) -> None:
    code.store(numbers, address, offset)


_BFLOAT16 = VectorFormat(2, _load_bfloat16, _store_bfloat16)
_FLOAT32 = VectorFormat(4, _load_float32, _store_float32)
