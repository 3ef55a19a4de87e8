"""Numbers → 8-bit levels, and sums of products of levels → numbers, in whole registers.

A level has one digit or two, to the base LEVELS + 1: a byte each, the digits of a number in rows of their own, the
higher ones first.
"""

from functools import reduce
from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGERS, LANES, REAL, REALS, Code, every, instructions
from polyhead.kernels.microkernels.registers import ACROSS, LEVELS, PANEL

_BYTES = ir.VectorType(ir.IntType(8), LANES)
_BITS = LEVELS.bit_length()


def rounding(digits: int) -> Any:
    """(x, vectors, low, step, levels, pitch): ⌊(x[k] - low) · step + ½⌋ of `vectors` × LANES numbers float32.

    levels: digit d of number k goes to byte d · pitch + k. vectors ≥ 1.
    """

    @instructions(ADDRESS, COUNT, "float32", "float32", ADDRESS, COUNT)
    def round_to_levels(code: Code, x: Any, vectors: Any, low: Any, step: Any, levels: Any, pitch: Any) -> None:
        builder = code.builder
        lows, steps, half = code.everywhere(low), code.everywhere(step), every(0.5)
        rows = [builder.add(levels, builder.mul(pitch, code.long(digit))) for digit in range(digits)]
        least = ir.Constant(INTEGERS, [LEVELS] * LANES)
        with code.each(vectors) as index:
            above = builder.fsub(code.load(REALS, x, builder.mul(index, code.long(4 * LANES))), lows)
            level = builder.fptosi(code.multiply_add(above, steps, half), INTEGERS)
            for place, row in zip(reversed(range(digits)), rows, strict=True):
                shifted = builder.lshr(level, ir.Constant(INTEGERS, [_BITS * place] * LANES))
                digit = builder.and_(shifted, least)
                code.store(builder.trunc(digit, _BYTES), row, builder.mul(index, code.long(LANES)))

    return round_to_levels


def numbers(digits: int) -> Any:
    """(sums, rows, scales, zeros, scale, total, bias, least, y, stride).

    y[r, n] = max(sums[r, n] · scales[r] · scale[n] + zeros[r] · total[n] + bias[n], least) for a panel's n, where
    sums[r, n] is put together of its digits'. sums [rows · digits, PANEL] int32, rows ≥ 1; y float32, a row of which is
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
        offsets = [code.long(4 * LANES * across) for across in range(ACROSS)]
        outputs = [[code.load(REALS, each, offset) for each in (scale, total, bias)] for offset in offsets]
        leasts = code.everywhere(least)
        with code.each(rows) as index:
            at = builder.mul(index, code.long(4))
            s, z = (code.everywhere(code.load(REAL, each, at)) for each in (scales, zeros))
            here = builder.add(sums, builder.mul(index, code.long(4 * PANEL * digits)))
            there = builder.add(y, builder.mul(index, stride))
            for offset, (scale, total, bias) in zip(offsets, outputs, strict=True):
                zero = code.multiply_add(z, total, bias)
                value = code.multiply_add(_put_together(code, digits, here, offset), builder.fmul(s, scale), zero)
                code.store(code.larger(value, leasts), there, offset)

    return numbers_of_sums


def _put_together(code: Code, digits: int, sums: Any, offset: Any) -> Any:
    """A vector of a row's sums, of those of its digits."""
    vectors = [
        code.builder.sitofp(code.load(INTEGERS, code.builder.add(sums, code.long(4 * PANEL * digit)), offset), REALS)
        for digit in range(digits)
    ]
    return reduce(lambda higher, lower: code.multiply_add(higher, every(float(LEVELS + 1)), lower), vectors)
