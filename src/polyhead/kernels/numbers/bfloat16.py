"""bfloat16 numbers: the upper halves of float32's, seen as integers of 16 bits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import INTEGERS, LANES, REALS, Code

Halves = NDArray[np.uint16]
_SIXTEEN, _LOWER_HALF, _HALF_A_STEP = np.uint32(16), np.uint32(0xFFFF), np.uint32(0x8000)
_SHORTS = ir.VectorType(ir.IntType(16), LANES)
_SIXTEENS, _UPPER_HALVES, _HALF_STEPS = (ir.Constant(INTEGERS, [bits] * LANES) for bits in (16, 0xFFFF0000, 0x8000))


@kernel
def widened(half: Any) -> Any:
    """The number as float32."""
    return np.float32(np.uint32(np.uint32(half) << _SIXTEEN).view(np.float32))


@kernel
def rounded(number: Any) -> Any:
    """The bfloat16 nearest to a float32; of two the larger one."""
    return np.uint16(np.uint32(np.float32(number).view(np.uint32) + _HALF_A_STEP) >> _SIXTEEN)


@kernel
def beside(lower: Any, upper: Any) -> Any:
    """Two numbers as one of 32 bits, as products take them."""
    return np.uint32(lower) | np.uint32(upper) << _SIXTEEN


@kernel
def parts(two: Any) -> tuple[Any, Any]:
    """The inverse of `beside`."""
    return np.uint16(two & _LOWER_HALF), np.uint16(two >> _SIXTEEN)


def pairs_of(code: Code, first: Any, second: Any) -> Any:
    """`rounded` and `beside` of two vectors: 16 pairs."""
    builder = code.builder
    first, second = (builder.add(builder.bitcast(each, INTEGERS), _HALF_STEPS) for each in (first, second))
    return builder.or_(builder.lshr(first, _SIXTEENS), builder.and_(second, _UPPER_HALVES))


def parts_of(code: Code, pairs: Any) -> tuple[Any, Any]:
    """The inverse of `pairs_of`."""
    builder = code.builder
    first, second = builder.shl(pairs, _SIXTEENS), builder.and_(pairs, _UPPER_HALVES)
    return builder.bitcast(first, REALS), builder.bitcast(second, REALS)


def shorts_of(code: Code, numbers: Any) -> Any:
    """`rounded` of a vector: LANES numbers of 16 bits."""
    builder = code.builder
    whole = builder.lshr(builder.add(builder.bitcast(numbers, INTEGERS), _HALF_STEPS), _SIXTEENS)
    return builder.trunc(whole, _SHORTS)
