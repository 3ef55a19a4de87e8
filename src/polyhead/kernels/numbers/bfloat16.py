"""bfloat16 numbers: the upper halves of float32's, seen as integers of 16 bits.

Every kernel that makes them rounds as IEEE 754 does by default, and so as PyTorch does: to the nearest number, and of
two that are equally near to the one whose last bit is 0. What is too large becomes infinite, a NaN stays one, numbers
below 2⁻¹²⁶ stay what they are. The conversion instruction of AVX512-BF16 would make these 0.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES, V16F32, V16I16, V16I32, Code

BFloat16s = NDArray[np.uint16]
_BELOW_HALF_A_STEP, _QUIET = 0x7FFF, 0x400000
"""The largest lower half that is rounded down; the bit of a NaN that rounding could not take away."""
_ONE, _SIXTEEN, _LOWER_HALF, _LESS, _NAN = map(np.uint32, (1, 16, 0xFFFF, _BELOW_HALF_A_STEP, _QUIET))
_ONES, _SIXTEENS, _UPPER_HALVES, _LESSES, _NANS = (
    ir.Constant(V16I32, [bits] * LANES) for bits in (1, 16, 0xFFFF0000, _BELOW_HALF_A_STEP, _QUIET)
)


@kernel
def to_float32(half: Any) -> Any:
    """A number of bfloat16 as float32."""
    return np.float32(np.uint32(np.uint32(half) << _SIXTEEN).view(np.float32))


@kernel
def to_bfloat16(number: Any) -> Any:
    """The bfloat16 nearest to a float32."""
    value = np.float32(number)
    bits = value.view(np.uint32)
    is_odd = np.uint32(bits >> _SIXTEEN) & _ONE
    near = np.uint32(bits + _LESS + is_odd) if value == value else np.uint32(bits | _NAN)
    return np.uint16(near >> _SIXTEEN)


@kernel
def pack_pair(lower: Any, upper: Any) -> Any:
    """Two numbers as one of 32 bits, as products take them."""
    return np.uint32(lower) | np.uint32(upper) << _SIXTEEN


@kernel
def unpack_pair(two: Any) -> tuple[Any, Any]:
    """The inverse of `pack_pair`."""
    return np.uint16(two & _LOWER_HALF), np.uint16(two >> _SIXTEEN)


def pack_pairs(code: Code, first: Any, second: Any) -> Any:
    """`to_bfloat16` and `pack_pair` of two vectors: 16 pairs."""
    builder = code.builder
    first, second = (_rounded_bits(code, each) for each in (first, second))
    return builder.or_(builder.lshr(first, _SIXTEENS), builder.and_(second, _UPPER_HALVES))


def unpack_pairs(code: Code, pairs: Any) -> tuple[Any, Any]:
    """The inverse of `pack_pairs`."""
    builder = code.builder
    first, second = builder.shl(pairs, _SIXTEENS), builder.and_(pairs, _UPPER_HALVES)
    return builder.bitcast(first, V16F32), builder.bitcast(second, V16F32)


def to_bfloat16s(code: Code, numbers: Any) -> Any:
    """`to_bfloat16` of a vector: LANES numbers of 16 bits."""
    return code.builder.trunc(code.builder.lshr(_rounded_bits(code, numbers), _SIXTEENS), V16I16)


def _rounded_bits(code: Code, numbers: Any) -> Any:
    """`to_bfloat16` of a vector: in the upper halves of integers, whose lower halves say nothing."""
    builder, bits = code.builder, code.builder.bitcast(numbers, V16I32)
    is_odd = builder.and_(builder.lshr(bits, _SIXTEENS), _ONES)
    near = builder.add(builder.add(bits, _LESSES), is_odd)
    return builder.select(builder.fcmp_unordered("uno", numbers, numbers), builder.or_(bits, _NANS), near)
