"""How many rows of a left factor an inner loop takes at once."""

from collections.abc import Callable
from typing import Any

from polyhead.kernels.kernel import kernel

MOST, FEWER = 6, 4
"""So many, so that their sums and what is added to them fill the registers; or one."""


@kernel
def rows_at_once(left: int) -> int:
    """Of so many: an even number of them, if not two, needs no single ones."""
    if left == MOST or left >= MOST + FEWER:
        return MOST
    return FEWER if left >= FEWER else 1


def by_some(loop: Callable[[int], Any], may_repeat: bool = False) -> Any:
    """The kernel (rows, given) that takes all rows of what is given, by loop(count)s: each takes (first row, given).

    may_repeat: whether a row may be taken twice. Some rows once more cost less than single ones.
    """
    six, four, one = map(loop, (MOST, FEWER, 1))

    @kernel
    def take(rows: int, given: Any) -> None:
        done = 0
        while done < rows:
            count = rows_at_once(rows - done)
            if count == 1 and may_repeat and rows >= FEWER:
                done, count = rows - FEWER, FEWER
            if count == MOST:
                six(done, given)
            elif count == FEWER:
                four(done, given)
            else:
                one(done, given)
            done += count

    return take
