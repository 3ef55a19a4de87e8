"""An epilogue for the loss in vectors: sums of products leave the registers as exponentials of bfloat16."""

from collections.abc import Callable
from typing import Any, NamedTuple

from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ANY, F32, I32, LANES, V16F32, V16I32, Code, instructions, splat
from polyhead.kernels.microkernels.registers import PANEL, PANEL_VECTORS
from polyhead.kernels.numbers.bfloat16 import pack_pairs, to_bfloat16s
from polyhead.kernels.numbers.exponential import LOG2_E, clamped_exp

SumsOf = Callable[[Code, Any, Any, Any], list[Any]]
"""(left operand, a panel of the right one, the first row) → the logits of MR rows, PANEL_VECTORS vectors each."""


class ExpLogitsOutput(NamedTuple):
    """What is known of MR rows, and where their exponentials go: addresses."""

    shifts: int
    """[MR] float32, what is taken off each row's logits."""
    words: int
    """How many of a panel's columns are words."""
    rows: int
    """[MR, PANEL] bfloat16: the exponentials of each row."""
    stride: int
    """Bytes between two rows of `rows`."""
    pairs: int
    """[MR / 2, PANEL, 2] bfloat16: the exponentials again, those of two rows beside each other."""
    totals: int
    """[MR, LANES] float32: a row's total is the sum of its lanes."""


def exp_logits(sums_of: SumsOf) -> Any:
    """The function (left, right, first, an `ExpLogitsOutput`) for products whose sums `sums_of` makes.

    e[r, n] = exp(min(sums[r, n] - shifts[r], LARGEST_EXPONENT)) for MR rows, from the first on, and the first `words` n
    of a panel; for other n, e is 0. It goes to `rows` and to `pairs`, and is added to `totals`.
    """

    @instructions(ANY, ANY, ANY, ANY)
    def exp_logits_of_rows(code: Code, left: Any, right: Any, first: Any, given: Any) -> None:
        _write_exponentials(code, sums_of(code, left, right, first), ExpLogitsOutput(*code.unpack(given)))

    return exp_logits_of_rows


def _write_exponentials(code: Code, sums: list[Any], given: ExpLogitsOutput) -> None:
    """The exponentials of logits, PANEL_VECTORS vectors for each row, to all places where they are wanted."""
    builder, nothing = code.builder, splat(0.0)
    count = code.broadcast(builder.trunc(given.words, I32))
    places = [ir.Constant(V16I32, [*range(LANES * across, LANES * (across + 1))]) for across in range(PANEL_VECTORS)]
    known = [builder.icmp_signed("<", place, count) for place in places]
    before: list[Any] = []
    for r in range(len(sums) // PANEL_VECTORS):
        shift = code.broadcast(code.load(F32, given.shifts, code.i64(4 * r)))
        down = builder.fmul(shift, splat(-float(LOG2_E)))
        e = [clamped_exp(code, z, down) for z in sums[PANEL_VECTORS * r : PANEL_VECTORS * (r + 1)]]
        e = [builder.select(each, value, nothing) for each, value in zip(known, e, strict=True)]
        total = code.load(V16F32, given.totals, code.i64(4 * LANES * r))
        for value in e:
            total = builder.fadd(total, value)
        code.store(total, given.totals, code.i64(4 * LANES * r))
        for across, value in enumerate(e):
            here = builder.add(builder.mul(given.stride, code.i64(r)), code.i64(2 * LANES * across))
            code.store(to_bfloat16s(code, value), given.rows, here)
        for across, both in enumerate(zip(before, e, strict=True) if r % 2 else ()):
            code.store(pack_pairs(code, *both), given.pairs, code.i64(4 * PANEL * (r // 2) + 4 * LANES * across))
        before = e
