"""A product in vectors whose sums become exponentials before they leave the registers."""

from functools import partial
from typing import Any, NamedTuple

from polyhead.kernels.compiler import intrinsic, ir, typed
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import INTEGER, INTEGERS, LANES, REAL, REALS, Code, every
from polyhead.kernels.microkernels.arithmetic import PAIRS, REAL_NUMBERS, Arithmetic
from polyhead.kernels.microkernels.row_counts import by_some
from polyhead.kernels.microkernels.simd import LINE, NUMBER, WIDTH, LeftOperand, Scales, product
from polyhead.kernels.numbers.exponential import LARGEST, exponentials


class _ExpOperands(NamedTuple):
    """What they are of, and where they go."""

    left: LeftOperand
    panel: int
    blocks: int
    scales: Scales
    words: int
    shifts: int
    totals: int
    out: int


def likelihoods_of(arithmetic: Arithmetic, turned: bool) -> Any:
    """The kernel that makes them."""
    take = by_some(partial(_likelihoods, arithmetic, turned))

    @kernel
    def exp_logits(
        left: LeftOperand,
        rows: int,
        panel: int,
        steps: int,
        scales: Scales,
        words: int,
        shifts: int,
        totals: int,
        out: int,
    ) -> None:
        """e[r, n] = exp(min(Σ_k x[r, k] panel[k, n] - shifts[r], LARGEST)) for the first `words` of n, else 0.

        left: x [rows, steps]; panel [steps, WIDTH] and shifts [rows] → out [rows, WIDTH]. It is added to totals
        [rows, WIDTH], of which a row's sum is meant.
        """
        take(rows, _ExpOperands(left, panel, steps // WIDTH, scales, words, shifts, totals, out))

    return exp_logits


def _likelihoods(arithmetic: Arithmetic, turned: bool, rows: int) -> Any:
    """(the first row, what is given): so many rows of them."""

    @intrinsic
    def exp_logits(typing_context: Any, first: Any, given: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            code, nothing, here = Code(builder), every(0.0), Code(builder).long(0)
            first, (*factors, words, shifts, totals, out) = arguments[0], code.parts(arguments[1])
            sums = product(code, arithmetic, rows, turned, factors, first)
            places = ir.Constant(INTEGERS, [*range(LANES)])
            known = builder.icmp_signed("<", places, code.everywhere(builder.trunc(words, INTEGER)))
            given = (shifts, NUMBER), (totals, LINE), (out, LINE)
            of_rows = [code.apart(place, code.long(bytes_), rows, first) for place, bytes_ in given]
            for z, shift, total, to in zip(sums, *of_rows, strict=True):
                z = builder.fsub(z, code.everywhere(code.load(REAL, shift, here)))
                z = builder.select(builder.fcmp_ordered("<", z, every(LARGEST)), z, every(LARGEST))
                e = builder.select(known, exponentials(code, z), nothing)
                code.store(e, to, here)
                code.store(builder.fadd(code.load(REALS, total, here), e), total, here)
            return context.get_dummy_value()

        return typed("void", first, given), generate

    return exp_logits


exp_logits = likelihoods_of(REAL_NUMBERS, turned=False)
likelihoods_of_pairs = likelihoods_of(PAIRS, turned=True)
