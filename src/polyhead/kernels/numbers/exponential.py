"""Exponentials: e^x of a number, of vectors, and summed over many numbers."""

from typing import Any

import numpy as np

from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, I16, I32, LANES, V16F32, V16I32, Code, instructions, splat
from polyhead.kernels.numbers.extremes import BLOCK, VECTORS

LOG2_E = np.float32(1.4426950408889634)
LARGEST_EXPONENT = 60.0
"""The largest exponent of `clamped_exp`; it cuts off larger ones."""
POWERS = tuple(map(np.float32, (1.5403530e-4, 1.3333558e-3, 9.6181291e-3, 5.5504109e-2, 2.4022651e-1, 6.9314718e-1, 1)))
"""2^f for f from -½ to ½ is the polynomial with these coefficients, the highest power's first."""


@kernel
def exp(x: Any) -> Any:
    """e^x for x ≤ 0 as 2^n · 2^f, within a share of (2 + |x|) · 2⁻²³ of it; a loop over this is vectorised."""
    y = max(x * LOG2_E, np.float32(-126))
    n = np.floor(y + np.float32(0.5))
    f = y - n
    power = POWERS[0]
    for coefficient in POWERS[1:]:
        power = power * f + coefficient
    exponent = np.int32((np.int32(n) + np.int32(127)) << np.int32(23))
    return power * exponent.view(np.float32)


@instructions(ADDRESS, COUNT, "float32", result="float32")
def sum_exp(code: Code, x: Any, blocks: Any, shift: Any) -> Any:
    """(x, blocks, shift) → Σ e^(x - shift) over `blocks` × BLOCK numbers float32, none above shift; blocks ≥ 1."""
    builder = code.builder
    shifts = code.broadcast(shift)

    def step(index: Any, totals: list[Any]) -> list[Any]:
        here = builder.add(x, builder.mul(index, code.i64(4 * BLOCK)))
        values = [code.load(V16F32, here, code.i64(4 * LANES * place)) for place in range(VECTORS)]
        powers = [exp_vector(code, builder.fsub(value, shifts)) for value in values]
        return [builder.fadd(total, power) for total, power in zip(totals, powers, strict=True)]

    first, *others = code.fori_loop(blocks, [splat(0.0)] * VECTORS, step)
    for other in others:
        first = builder.fadd(first, other)
    return code.reduce(first, builder.fadd)


def exp_vector(code: Code, x: Any) -> Any:
    """`exp` of each number of a vector, but 0 below 2^-126: numbers so small take a CPU ten times as long."""
    builder, lowest = code.builder, splat(-126.0)
    y = builder.fmul(x, splat(float(LOG2_E)))
    counts = builder.fcmp_ordered(">", y, lowest)
    y = builder.select(counts, y, lowest)
    n = code.call("llvm.floor.v16f32", V16F32, builder.fadd(y, splat(0.5)))
    f = builder.fsub(y, n)
    exponent = builder.add(builder.fptosi(n, V16I32), ir.Constant(V16I32, [127] * LANES))
    whole = builder.bitcast(builder.shl(exponent, ir.Constant(V16I32, [23] * LANES)), V16F32)
    return builder.select(counts, builder.fmul(exp2_polynomial(code, f), whole), splat(0.0))


def exp2_polynomial(code: Code, f: Any) -> Any:
    """2^f of each number of a vector, all from -½ to ½."""
    power = splat(float(POWERS[0]))
    for coefficient in POWERS[1:]:
        power = code.multiply_add(power, f, splat(float(coefficient)))
    return power


def clamped_exp(code: Code, z: Any, down: Any) -> Any:
    """e^z · 2^down of each number, at most e^LARGEST_EXPONENT: 2^n · 2^f, n a whole number and f from -½ to ½."""
    builder, most = code.builder, splat(LARGEST_EXPONENT * float(LOG2_E))
    y = code.multiply_add(z, splat(float(LOG2_E)), down)
    y = builder.select(builder.fcmp_ordered("<", y, most), y, most)
    n = code.call("llvm.roundeven.v16f32", V16F32, y)
    f = builder.fsub(y, n)
    power = exp2_polynomial(code, f)
    lanes, as_is = ir.Constant(I16, -1), ir.Constant(I32, 4)
    return code.call("llvm.x86.avx512.mask.scalef.ps.512", V16F32, power, n, power, lanes, as_is)
