"""Numbers → 8-bit levels, and sums of products of levels → numbers, in whole registers.

A level has one digit or two, to the base MAX_LEVEL + 1: a byte each, the digits of a number in rows of their own, the
higher ones first.
"""

from functools import reduce
from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, F32, LANES, V16F32, V16I8, V16I32, Code, instructions, splat
from polyhead.kernels.microkernels.registers import MAX_LEVEL, PANEL, PANEL_VECTORS

_BITS = MAX_LEVEL.bit_length()


def quantise_to_digits(digits: int) -> Any:
    """(x, vectors, low, step, levels, pitch): ⌊(x[k] - low) · step + ½⌋ of `vectors` × LANES numbers float32.

    levels: digit d of number k goes to byte d · pitch + k. vectors ≥ 1.
    """

    @instructions(ADDRESS, COUNT, "float32", "float32", ADDRESS, COUNT)
    def round_to_levels(code: Code, x: Any, vectors: Any, low: Any, step: Any, levels: Any, pitch: Any) -> None:
        builder = code.builder
        lows, steps, half = code.broadcast(low), code.broadcast(step), splat(0.5)
        rows = [builder.add(levels, builder.mul(pitch, code.i64(digit))) for digit in range(digits)]
        least = ir.Constant(V16I32, [MAX_LEVEL] * LANES)
        with code.loop(vectors) as index:
            above = builder.fsub(code.load(V16F32, x, builder.mul(index, code.i64(4 * LANES))), lows)
            level = builder.fptosi(code.multiply_add(above, steps, half), V16I32)
            for place, row in zip(reversed(range(digits)), rows, strict=True):
                shifted = builder.lshr(level, ir.Constant(V16I32, [_BITS * place] * LANES))
                digit = builder.and_(shifted, least)
                code.store(builder.trunc(digit, V16I8), row, builder.mul(index, code.i64(LANES)))

    return round_to_levels


def dequantise_sums(digits: int) -> Any:
    """(sums, rows, scales, zeros, scale, total, bias, least, y, stride).

    y[r, n] = max(sums[r, n] · scales[r] · scale[n] + zeros[r] · total[n] + bias[n], least) for a panel's n, where
    sums[r, n] is made of its digits' sums. sums [rows · digits, PANEL] int32, rows ≥ 1; y float32, a row of which is
    `stride` bytes, and which may be the sums' own place.
    """

    @instructions(ADDRESS, COUNT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, "float32", ADDRESS, COUNT)
    def numbers_of_sums(
        code: Code,
        sums: Any,
        rows: Any,
        scales: Any,
        zeros: Any,
        scale: Any,
        total: Any,
        bias: Any,
        least: Any,
        y: Any,
        stride: Any,
    ) -> None:
        builder = code.builder
        offsets = [code.i64(4 * LANES * across) for across in range(PANEL_VECTORS)]
        outputs = [[code.load(V16F32, each, offset) for each in (scale, total, bias)] for offset in offsets]
        leasts = code.broadcast(least)
        with code.loop(rows) as index:
            at = builder.mul(index, code.i64(4))
            s, z = (code.broadcast(code.load(F32, each, at)) for each in (scales, zeros))
            here = builder.add(sums, builder.mul(index, code.i64(4 * PANEL * digits)))
            there = builder.add(y, builder.mul(index, stride))
            for offset, (scale, total, bias) in zip(offsets, outputs, strict=True):
                zero = code.multiply_add(z, total, bias)
                value = code.multiply_add(_combine_digits(code, digits, here, offset), builder.fmul(s, scale), zero)
                code.store(code.maximum(value, leasts), there, offset)

    return numbers_of_sums


def _combine_digits(code: Code, digits: int, sums: Any, offset: Any) -> Any:
    """A vector of a row's sums, as float32, made of the sums of its digits."""
    vectors = [
        code.builder.sitofp(code.load(V16I32, code.builder.add(sums, code.i64(4 * PANEL * digit)), offset), V16F32)
        for digit in range(digits)
    ]
    return reduce(lambda higher, lower: code.multiply_add(higher, splat(float(MAX_LEVEL + 1)), lower), vectors)
