"""A product in vectors whose sums become exponentials before they leave the registers."""

from typing import Any, NamedTuple

from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ANY, F32, I32, LANES, V16F32, V16I32, Code, instructions, splat
from polyhead.kernels.microkernels.row_counts import for_all_rows
from polyhead.kernels.microkernels.simd import FLOAT_BYTES, WIDTH, LeftOperand, product
from polyhead.kernels.numbers.exponential import LARGEST_EXPONENT, exp_vector
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES


class _ExpOperands(NamedTuple):
    """What the exponentials are of, and where they go."""

    left: LeftOperand
    panel: int
    blocks: int
    words: int
    shifts: int
    totals: int
    out: int


def _exp_of_rows(rows: int) -> Any:
    """(the first row, the operands): exponentials of so many rows' products."""

    @instructions(ANY, ANY)
    def exp_of_rows(code: Code, first: Any, operands: Any) -> None:
        builder = code.builder
        code, nothing, here = Code(builder), splat(0.0), Code(builder).i64(0)
        left, panel, blocks, words, shifts, totals, out = code.unpack(operands)
        sums = product(code, rows, False, left, panel, blocks, first)
        places = ir.Constant(V16I32, [*range(LANES)])
        known = builder.icmp_signed("<", places, code.broadcast(builder.trunc(words, I32)))
        places_of_rows = (shifts, FLOAT_BYTES), (totals, VECTOR_BYTES), (out, VECTOR_BYTES)
        of_rows = [code.addresses(place, code.i64(bytes_), rows, first) for place, bytes_ in places_of_rows]
        for z, shift, total, to in zip(sums, *of_rows, strict=True):
            z = builder.fsub(z, code.broadcast(code.load(F32, shift, here)))
            z = builder.select(builder.fcmp_ordered("<", z, splat(LARGEST_EXPONENT)), z, splat(LARGEST_EXPONENT))
            e = builder.select(known, exp_vector(code, z), nothing)
            code.store(e, to, here)
            code.store(builder.fadd(code.load(V16F32, total, here), e), total, here)

    return exp_of_rows


_for_all_rows = for_all_rows(_exp_of_rows)


@kernel
def exp_logits(
    left: LeftOperand, rows: int, panel: int, steps: int, words: int, shifts: int, totals: int, out: int
) -> None:
    """e[r, n] = exp(min(Σ_k x[r, k] panel[k, n] - shifts[r], LARGEST_EXPONENT)) for the first `words` of n, else 0.

    left: x [rows, steps]; panel [steps, WIDTH] and shifts [rows] → out [rows, WIDTH]. e is also added to totals
    [rows, WIDTH]: a row's total is the sum of its lanes.
    """
    _for_all_rows(rows, _ExpOperands(left, panel, steps // WIDTH, words, shifts, totals, out))
