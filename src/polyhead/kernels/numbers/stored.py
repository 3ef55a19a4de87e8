"""Numbers that are bfloat16 or float32 in memory and float32 in registers, for functions of LLVM's instructions."""

from collections.abc import Callable
from typing import Any, NamedTuple

from polyhead.kernels.compiler import ir, types
from polyhead.kernels.llvm import INTEGER, INTEGERS, LANES, REAL, REALS, Code
from polyhead.kernels.numbers.bfloat16 import shorts_of

LINE = 4 * LANES
"""How many bytes are looked at together: those of a vector of float32."""
_SHORTS = ir.VectorType(ir.IntType(16), LANES)
_SIXTEEN = ir.Constant(INTEGERS, [16] * LANES)


class Stored(NamedTuple):
    """A format of numbers in memory."""

    size: int
    """How many bytes a number has."""
    load: Callable[[Code, Any, Any], Any]
    """(address, offset) → LANES numbers from memory, as float32."""
    store: Callable[[Code, Any, Any, Any], None]
    """(numbers, address, offset) writes LANES numbers of float32 to memory, rounded to the format."""

    @property
    def in_line(self) -> int:
        """How many numbers a LINE has."""
        return LINE // self.size


def stored(array: Any) -> Stored:
    """The format of the numbers of an array, which is given as its type in Numba."""
    return _FLOAT32 if array.dtype == types.float32 else _BFLOAT16


def magnitude_of(code: Code, array: Any, place: Any, offset: Any) -> Any:
    """The absolute values of a LINE of numbers, as integers of the same order; a NaN is the largest of all."""
    kept = stored(array)
    bits = 8 * kept.size
    whole = ir.VectorType(ir.IntType(bits), kept.in_line)
    return code.builder.and_(code.load(whole, place, offset), ir.Constant(whole, [(1 << bits - 1) - 1] * kept.in_line))


def real_of_magnitude(code: Code, magnitude: Any) -> Any:
    """An absolute value from `magnitude_of` as float32."""
    builder, missing = code.builder, 32 - magnitude.type.width
    if missing:
        magnitude = builder.shl(builder.zext(magnitude, INTEGER), ir.Constant(INTEGER, missing))
    return builder.bitcast(magnitude, REAL)


def _load_bfloat16(code: Code, place: Any, offset: Any) -> Any:
    builder = code.builder
    wide = builder.zext(code.load(_SHORTS, place, offset), INTEGERS)
    return builder.bitcast(builder.shl(wide, _SIXTEEN), REALS)


def _load_float32(code: Code, place: Any, offset: Any) -> Any:
    return code.load(REALS, place, offset)


def _store_bfloat16(code: Code, numbers: Any, place: Any, offset: Any) -> None:
    code.store(shorts_of(code, numbers), place, offset)


def _store_float32(code: Code, numbers: Any, place: Any, offset: Any) -> None:
    code.store(numbers, place, offset)


_BFLOAT16 = Stored(2, _load_bfloat16, _store_bfloat16)
_FLOAT32 = Stored(4, _load_float32, _store_float32)
