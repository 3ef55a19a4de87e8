"""A product of float32 whose sums become exponentials before they leave the registers."""

from typing import Any

from polyhead.kernels.compiler import intrinsic, ir, typed
from polyhead.kernels.exponential import LARGEST, exponentials
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, INTEGER, INTEGERS, LANES, REAL, REALS, Code, every
from polyhead.kernels.vector_sums import FEWER, LINE, MOST, NUMBER, WIDTH, product, rows_at_once


def _likelihoods(rows: int) -> Any:
    @intrinsic
    def likelihoods(
        typing_context: Any, x: Any, row: Any, panel: Any, blocks: Any, words: Any, shifts: Any, totals: Any, out: Any
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            x, row, panel, blocks, words, shifts, totals, out = arguments
            code, nothing = Code(builder), every(0.0)
            begun, block = [nothing] * rows, code.long(LINE)
            sums = product(code, code.apart(x, row, rows), NUMBER, block, panel, blocks, begun)
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

        return typed("void", ADDRESS, COUNT, ADDRESS, COUNT, COUNT, ADDRESS, ADDRESS, ADDRESS), generate

    return likelihoods


_six, _four, _one = map(_likelihoods, (MOST, FEWER, 1))


@kernel
def likelihoods(
    x: int, row: int, rows: int, panel: int, steps: int, words: int, shifts: int, totals: int, out: int
) -> None:
    """e[r, n] = exp(min(Σ_k x[r, k] panel[k, n] - shifts[r], LARGEST)) for the first `words` of a panel's n, else 0.

    x [rows, steps], rows so many bytes apart, panel [steps, WIDTH] and shifts [rows] → out [rows, WIDTH]. It is added
    to totals [rows, WIDTH], of which a row's sum is meant.
    """
    done, blocks = 0, steps // WIDTH
    while done < rows:
        count = rows_at_once(rows - done)
        given, shift, total, to = x + done * row, shifts + NUMBER * done, totals + LINE * done, out + LINE * done
        if count == MOST:
            _six(given, row, panel, blocks, words, shift, total, to)
        elif count == FEWER:
            _four(given, row, panel, blocks, words, shift, total, to)
        else:
            _one(given, row, panel, blocks, words, shift, total, to)
        done += count
