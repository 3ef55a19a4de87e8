"""Products of bfloat16, or of bytes that stand for it, whose sums leave the registers as exponentials."""

from typing import Any

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, ANY, COUNT, INTEGER, INTEGERS, LANES, REAL, REALS, Code, every, instructions
from polyhead.kernels.microkernels.int8 import sums_of_bytes
from polyhead.kernels.microkernels.registers import ACROSS, DOWN, PANEL, add_pairs, product
from polyhead.kernels.numbers.bfloat16 import pairs_of, shorts_of
from polyhead.kernels.numbers.exponential import LOG2_E, cut_exponentials


@instructions(ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, ADDRESS)
def exp_logits(
    code: Code,
    x: Any,
    stride: Any,
    weight: Any,
    steps: Any,
    shifts: Any,
    words: Any,
    rows: Any,
    row_stride: Any,
    pairs: Any,
    totals: Any,
) -> None:
    """e[r, n] = exp(min(Σ_k x[r, k] weight[n, k] - shifts[r], LARGEST)) for DOWN rows and a panel's `words` first n.

    x [DOWN, K] and weight [K/2, PANEL, 2] bfloat16, steps = K/2; shifts [DOWN] float32. For other n, e is 0. It goes
    into rows [DOWN, PANEL] as bfloat16, into pairs [DOWN/2, PANEL, 2] likewise but two rows beside each other, and is
    added to totals [DOWN, LANES], float32, of which a row's sum is meant. Strides are in bytes.
    """
    builder = code.builder
    of_rows = [builder.add(x, builder.mul(stride, code.long(row))) for row in range(DOWN)]
    sums = product(code, of_rows, weight, steps, [every(0.0)] * (DOWN * ACROSS), add_pairs)
    _write(code, sums, shifts, words, rows, row_stride, pairs, totals)


@instructions(ANY, ANY, ANY, ANY, ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, ADDRESS)
def exp_logits_of_bytes(
    code: Code,
    left: Any,
    scales: Any,
    right: Any,
    first: Any,
    shifts: Any,
    words: Any,
    rows: Any,
    row_stride: Any,
    pairs: Any,
    totals: Any,
) -> None:
    """The same of bytes, for DOWN rows from the first on: left, a LeftOperand with its rows' scales, times a Right."""
    sums = [each for row in sums_of_bytes(code, DOWN, left, scales, right, first) for each in row]
    _write(code, sums, shifts, words, rows, row_stride, pairs, totals)


def _write(
    code: Code, sums: list[Any], shifts: Any, words: Any, rows: Any, row_stride: Any, pairs: Any, totals: Any
) -> None:
    """Rows' products, ACROSS vectors each → e, to all its places."""
    builder, nothing = code.builder, every(0.0)
    count = code.everywhere(builder.trunc(words, INTEGER))
    places = [ir.Constant(INTEGERS, [*range(LANES * across, LANES * (across + 1))]) for across in range(ACROSS)]
    known = [builder.icmp_signed("<", place, count) for place in places]
    before: list[Any] = []
    for r in range(len(sums) // ACROSS):
        shift = code.everywhere(code.load(REAL, shifts, code.long(4 * r)))
        down = builder.fmul(shift, every(-float(LOG2_E)))
        e = [cut_exponentials(code, z, down) for z in sums[ACROSS * r : ACROSS * (r + 1)]]
        e = [builder.select(each, value, nothing) for each, value in zip(known, e, strict=True)]
        total = code.load(REALS, totals, code.long(4 * LANES * r))
        for value in e:
            total = builder.fadd(total, value)
        code.store(total, totals, code.long(4 * LANES * r))
        for across, value in enumerate(e):
            here = builder.add(builder.mul(row_stride, code.long(r)), code.long(2 * LANES * across))
            code.store(shorts_of(code, value), rows, here)
        for across, both in enumerate(zip(before, e, strict=True) if r % 2 else ()):
            code.store(pairs_of(code, *both), pairs, code.long(4 * PANEL * (r // 2) + 4 * LANES * across))
        before = e
