"""A product in vectors whose sums become exponentials before they leave the registers."""

from typing import Any

from polyhead.kernels.compiler import intrinsic, ir, typed
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGER, INTEGERS, LANES, REAL, REALS, Code, every
from polyhead.kernels.numbers.exponential import LARGEST, exponentials
from polyhead.kernels.sums.arithmetic import PAIRS, REAL_NUMBERS, Arithmetic
from polyhead.kernels.sums.vector_sums import FEWER, LINE, MOST, NUMBER, WIDTH, Left, Scales, product, rows_at_once


def likelihoods_of(arithmetic: Arithmetic, turned: bool) -> Any:
    """The kernel that makes them."""
    six, four, one = (_likelihoods(rows, arithmetic, turned) for rows in (MOST, FEWER, 1))

    @kernel
    def likelihoods(
        left: Left,
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
        done, blocks, row, block, columns = 0, steps // WIDTH, left.row, left.block, scales.columns
        while done < rows:
            count = rows_at_once(rows - done)
            given, scale, shift = left.place + done * row, scales.rows + NUMBER * done, shifts + NUMBER * done
            total, to = totals + LINE * done, out + LINE * done
            if count == MOST:
                six(given, row, block, panel, blocks, scale, columns, words, shift, total, to)
            elif count == FEWER:
                four(given, row, block, panel, blocks, scale, columns, words, shift, total, to)
            else:
                one(given, row, block, panel, blocks, scale, columns, words, shift, total, to)
            done += count

    return likelihoods


def _likelihoods(rows: int, arithmetic: Arithmetic, turned: bool) -> Any:
    @intrinsic
    def likelihoods(
        typing_context: Any,
        x: Any,
        row: Any,
        block: Any,
        panel: Any,
        blocks: Any,
        row_scales: Any,
        column_scales: Any,
        words: Any,
        shifts: Any,
        totals: Any,
        out: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            *factors, words, shifts, totals, out = arguments
            code, nothing = Code(builder), every(0.0)
            sums = product(code, arithmetic, rows, turned, factors)
            places = ir.Constant(INTEGERS, [*range(LANES)])
            known = builder.icmp_signed("<", places, code.everywhere(builder.trunc(words, INTEGER)))
            for r, z in enumerate(sums):
                here = code.long(LINE * r)
                z = builder.fsub(z, code.everywhere(code.load(REAL, shifts, code.long(NUMBER * r))))
                z = builder.select(builder.fcmp_ordered("<", z, every(LARGEST)), z, every(LARGEST))
                e = builder.select(known, exponentials(code, z), nothing)
                code.store(e, out, here)
                code.store(builder.fadd(code.load(REALS, totals, here), e), totals, here)
            return context.get_dummy_value()

        kinds = [ADDRESS, COUNT, COUNT, ADDRESS, COUNT, ADDRESS, ADDRESS, COUNT, ADDRESS, ADDRESS, ADDRESS]
        return typed("void", *kinds), generate

    return likelihoods


likelihoods = likelihoods_of(REAL_NUMBERS, turned=False)
likelihoods_of_pairs = likelihoods_of(PAIRS, turned=True)
