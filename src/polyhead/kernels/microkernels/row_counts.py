"""How many rows of the left operand a microkernel takes at once."""

from collections.abc import Callable, Sequence
from typing import Any

from polyhead.kernels.kernel import kernel

MOST_ROWS, FEWER_ROWS = 6, 4
"""A microkernel is made for MOST_ROWS, for FEWER_ROWS and for one row. Its accumulators and what is added to them fill
the registers."""


@kernel
def rows_at_once(left: int) -> int:
    """How many of the rows that are left are taken next: an even number of them, if not two, needs no single ones."""
    if left == MOST_ROWS or left >= MOST_ROWS + FEWER_ROWS:
        return MOST_ROWS
    return FEWER_ROWS if left >= FEWER_ROWS else 1


def switch_on_count(microkernel: Callable[[int], Any], counts: Sequence[int]) -> Any:
    """The kernel (count, *operands) that calls microkernel(count)(*operands), where count is one of `counts`."""
    first, *others = counts
    this = microkernel(first)
    another = switch_on_count(microkernel, others) if others else None

    @kernel
    def chosen(count: int, *operands: Any) -> None:
        if another is None or count == first:
            this(*operands)
        else:
            another(count, *operands)

    return chosen


def for_all_rows(microkernel: Callable[[int], Any], may_repeat: bool = False) -> Any:
    """The kernel (rows, operands) that takes all rows by microkernels for some: microkernel(count)(first, operands).

    may_repeat: whether a row may be computed twice. To repeat some rows costs less than to take single ones.
    """
    six, four, one = map(microkernel, (MOST_ROWS, FEWER_ROWS, 1))

    @kernel
    def take(rows: int, operands: Any) -> None:
        done = 0
        while done < rows:
            count = rows_at_once(rows - done)
            if count == 1 and may_repeat and rows >= FEWER_ROWS:
                done, count = rows - FEWER_ROWS, FEWER_ROWS
            if count == MOST_ROWS:
                six(done, operands)
            elif count == FEWER_ROWS:
                four(done, operands)
            else:
                one(done, operands)
            done += count

    return take
