"""An epilogue for the loss in vectors: sums of products leave the registers as exponentials of bfloat16."""

from collections.abc import Callable
from typing import Any, NamedTuple

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ANY, INTEGER, INTEGERS, LANES, REAL, REALS, Code, every, instructions
from polyhead.kernels.microkernels.registers import ACROSS, PANEL
from polyhead.kernels.numbers.bfloat16 import pairs_of, shorts_of
from polyhead.kernels.numbers.exponential import LOG2_E, cut_exponentials

SumsOf = Callable[[Code, Any, Any, Any], list[Any]]
"""(left operand, a panel of the right one, the first row) → the sums of DOWN rows, ACROSS vectors for each, in LLVM."""


class Exponentials(NamedTuple):
    """What is known of DOWN rows, and where their exponentials go: addresses."""

    shifts: int
    """[DOWN] float32."""
    words: int
    """How many of a panel's columns are words."""
    rows: int
    """[DOWN, PANEL] bfloat16."""
    row: int
    """Bytes between two of these rows."""
    pairs: int
    """[DOWN / 2, PANEL, 2] bfloat16: the same, two rows' exponentials beside each other."""
    totals: int
    """[DOWN, LANES] float32, of which a row's sum is meant."""


def exp_logits(sums_of: SumsOf) -> Any:
    """The function (left, right, first, an `Exponentials`) for products whose sums `sums_of` makes.

    e[r, n] = exp(min(sums[r, n] - shifts[r], LARGEST)) for DOWN rows, from the first on, and a panel's `words` first n;
    for other n, e is 0. It goes to all its places, and is added to the totals.
    """

    @instructions(ANY, ANY, ANY, ANY)
    def exp_logits_of_rows(code: Code, left: Any, right: Any, first: Any, given: Any) -> None:
        _write(code, sums_of(code, left, right, first), Exponentials(*code.parts(given)))

    return exp_logits_of_rows


def _write(code: Code, sums: list[Any], given: Exponentials) -> None:
    """Rows' products, ACROSS vectors each → e, to all its places."""
    builder, nothing = code.builder, every(0.0)
    count = code.everywhere(builder.trunc(given.words, INTEGER))
    places = [ir.Constant(INTEGERS, [*range(LANES * across, LANES * (across + 1))]) for across in range(ACROSS)]
    known = [builder.icmp_signed("<", place, count) for place in places]
    before: list[Any] = []
    for r in range(len(sums) // ACROSS):
        shift = code.everywhere(code.load(REAL, given.shifts, code.long(4 * r)))
        down = builder.fmul(shift, every(-float(LOG2_E)))
        e = [cut_exponentials(code, z, down) for z in sums[ACROSS * r : ACROSS * (r + 1)]]
        e = [builder.select(each, value, nothing) for each, value in zip(known, e, strict=True)]
        total = code.load(REALS, given.totals, code.long(4 * LANES * r))
        for value in e:
            total = builder.fadd(total, value)
        code.store(total, given.totals, code.long(4 * LANES * r))
        for across, value in enumerate(e):
            here = builder.add(builder.mul(given.row, code.long(r)), code.long(2 * LANES * across))
            code.store(shorts_of(code, value), given.rows, here)
        for across, both in enumerate(zip(before, e, strict=True) if r % 2 else ()):
            code.store(pairs_of(code, *both), given.pairs, code.long(4 * PANEL * (r // 2) + 4 * LANES * across))
        before = e
