"""Numbers → 8-bit levels, and sums of products of levels → numbers, in whole registers."""

from typing import Any

from polyhead.kernels.compiler import intrinsic, ir, typed
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGERS, LANES, REAL, REALS, Code, every
from polyhead.kernels.sums.registers import ACROSS

_BYTES = ir.VectorType(ir.IntType(8), LANES)
_FMA = "llvm.fma.v16f32"


@intrinsic
def round_to_levels(typing_context: Any, x: Any, vectors: Any, low: Any, step: Any, levels: Any) -> Any:
    """levels[k] = ⌊(x[k] - low) · step + ½⌋, a byte each, of `vectors` × LANES numbers float32; vectors ≥ 1."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, vectors, low, step, levels = arguments
        code = Code(builder)
        lows, steps, half = code.everywhere(low), code.everywhere(step), every(0.5)

        def one(index: Any, nothing: list[Any]) -> list[Any]:
            above = builder.fsub(code.load(REALS, x, builder.mul(index, code.long(4 * LANES))), lows)
            level = builder.fptosi(code.call(_FMA, REALS, above, steps, half), INTEGERS)
            code.store(builder.trunc(level, _BYTES), levels, builder.mul(index, code.long(LANES)))
            return nothing

        code.repeat(vectors, [], one)
        return context.get_dummy_value()

    return typed("void", ADDRESS, COUNT, "float32", "float32", ADDRESS), generate


@intrinsic
def numbers_of_sums(
    typing_context: Any,
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
) -> Any:
    """y[r, n] = max(sums[r, n] · scales[r] · scale[n] + zeros[r] · total[n] + bias[n], least) for a panel's n.

    sums [rows, PANEL] int32, rows ≥ 1; y float32, a row of which is `stride` bytes.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sums, rows, scales, zeros, *of_outputs, least, y, stride = arguments
        code = Code(builder)
        offsets = [code.long(4 * LANES * across) for across in range(ACROSS)]
        outputs = [[code.load(REALS, each, offset) for each in of_outputs] for offset in offsets]
        leasts = code.everywhere(least)

        def row(index: Any, nothing: list[Any]) -> list[Any]:
            at = builder.mul(index, code.long(4))
            s, z = (code.everywhere(code.load(REAL, each, at)) for each in (scales, zeros))
            here = builder.add(sums, builder.mul(index, code.long(4 * LANES * ACROSS)))
            there = builder.add(y, builder.mul(index, stride))
            for offset, (scale, total, bias) in zip(offsets, outputs, strict=True):
                found = builder.sitofp(code.load(INTEGERS, here, offset), REALS)
                zero = code.call(_FMA, REALS, z, total, bias)
                value = code.call(_FMA, REALS, found, builder.fmul(s, scale), zero)
                code.store(code.larger(value, leasts), there, offset)
            return nothing

        code.repeat(rows, [], row)
        return context.get_dummy_value()

    kinds = ADDRESS, COUNT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, "float32", ADDRESS, COUNT
    return typed("void", *kinds), generate
