"""A product in vectors whose sums become exponentials before they leave the registers."""

from typing import Any, NamedTuple

from polyhead.kernels.compiler import ir
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ANY, INTEGER, INTEGERS, LANES, REAL, REALS, Code, every, instructions
from polyhead.kernels.microkernels.row_counts import by_some
from polyhead.kernels.microkernels.simd import LINE, NUMBER, WIDTH, LeftOperand, product
from polyhead.kernels.numbers.exponential import LARGEST, exponentials


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
        code, nothing, here = Code(builder), every(0.0), Code(builder).long(0)
        left, panel, blocks, words, shifts, totals, out = code.parts(operands)
        sums = product(code, rows, False, left, panel, blocks, first)
        places = ir.Constant(INTEGERS, [*range(LANES)])
        known = builder.icmp_signed("<", places, code.everywhere(builder.trunc(words, INTEGER)))
        places_of_rows = (shifts, NUMBER), (totals, LINE), (out, LINE)
        of_rows = [code.apart(place, code.long(bytes_), rows, first) for place, bytes_ in places_of_rows]
        for z, shift, total, to in zip(sums, *of_rows, strict=True):
            z = builder.fsub(z, code.everywhere(code.load(REAL, shift, here)))
            z = builder.select(builder.fcmp_ordered("<", z, every(LARGEST)), z, every(LARGEST))
            e = builder.select(known, exponentials(code, z), nothing)
            code.store(e, to, here)
            code.store(builder.fadd(code.load(REALS, total, here), e), total, here)

    return exp_of_rows


_take = by_some(_exp_of_rows)


@kernel
def exp_logits(
    left: LeftOperand, rows: int, panel: int, steps: int, words: int, shifts: int, totals: int, out: int
) -> None:
    """e[r, n] = exp(min(Σ_k x[r, k] panel[k, n] - shifts[r], LARGEST)) for the first `words` of n, else 0.

    left: x [rows, steps]; panel [steps, WIDTH] and shifts [rows] → out [rows, WIDTH]. It is added to totals
    [rows, WIDTH], of which a row's sum is meant.
    """
    _take(rows, _ExpOperands(left, panel, steps // WIDTH, words, shifts, totals, out))
