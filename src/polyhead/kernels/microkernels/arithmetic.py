"""What products in vectors multiply: numbers of 32 bits, real ones or pairs of whole ones, sixteen at a time."""

from collections.abc import Callable
from typing import Any, NamedTuple

from polyhead.hardware import cpu_features
from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import INTEGER, INTEGERS, LANES, REAL, REALS, Code, every

_SHORTS = ir.VectorType(ir.IntType(16), LANES)
_HALF = ir.VectorType(INTEGER, LANES // 2)
_REAL_HALF = ir.VectorType(REAL, LANES // 2)


class Arithmetic(NamedTuple):
    """How a column's numbers of a right factor are multiplied by a left one's, and added up."""

    number: Any
    """A number's type in LLVM,"""
    vector: Any
    """and that of LANES of them."""
    nothing: Any
    """The sum of none."""
    add: Callable[[Code, Any, Any, Any], Any]
    """(a number in every lane, numbers, their sums so far) → the sums with these products."""
    real: Callable[[Code, Any, Any, Any], Any]
    """(sums, the address of their row's scale, that of their columns') → what they stand for."""


def _add_real(code: Code, factor: Any, numbers: Any, total: Any) -> Any:
    return code.multiply_add(factor, numbers, total)


def _as_they_are(code: Code, total: Any, row: Any, columns: Any) -> Any:
    return total


def _add_pairs(code: Code, factor: Any, numbers: Any, total: Any) -> Any:
    """Two products of 16 bits in each lane, added to it; VNNI of AVX-512 does it in one step."""
    if "avx512_vnni" in cpu_features():
        return code.call("llvm.x86.avx512.vpdpwssd.512", INTEGERS, total, factor, numbers)
    halves = zip(*map(code.halves, (factor, numbers, total)), strict=True)
    return code.joined(*(_add_pairs_of_half(code, *each) for each in halves))


def _add_pairs_of_half(code: Code, factor: Any, numbers: Any, total: Any) -> Any:
    """AVX2 takes two steps. Without a fence the compiler would first add up several products, which takes registers."""
    builder = code.builder
    both = (builder.bitcast(each, _SHORTS) for each in (factor, numbers))
    total = builder.add(total, code.call("llvm.x86.avx2.pmadd.wd", _HALF, *both))
    total = code.call("llvm.arithmetic.fence.v8f32", _REAL_HALF, builder.bitcast(total, _REAL_HALF))
    return builder.bitcast(total, _HALF)


def _scaled(code: Code, total: Any, row: Any, columns: Any) -> Any:
    builder, here = code.builder, code.long(0)
    scales = builder.fmul(code.everywhere(code.load(REAL, row, here)), code.load(REALS, columns, here))
    return builder.fmul(builder.sitofp(total, REALS), scales)


REAL_NUMBERS = Arithmetic(REAL, REALS, every(0.0), _add_real, _as_they_are)
"""Of float32."""
PAIRS = Arithmetic(INTEGER, INTEGERS, ir.Constant(INTEGERS, [0] * LANES), _add_pairs, _scaled)
"""Of whole numbers of 16 bits; a sum's place has 32, and who makes the numbers sees to it that they are enough."""
