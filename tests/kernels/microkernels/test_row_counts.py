"""Rows taken some at a time: all of them, none behind the last, and none twice where that would matter."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.row_counts import FEWER_ROWS, MOST_ROWS, for_all_rows, rows_at_once, switch_on_count

Counts = NDArray[np.int64]


def _counted(rows: int) -> Any:
    """A microkernel for so many rows, which counts how often each row comes, and how often it comes alone."""

    @kernel
    def count(first: int, times: Counts) -> None:
        for row in range(first, first + rows):
            times[0, row] += 1
            times[1, row] += rows == 1

    return count


def _named(count: int) -> Any:
    @kernel
    def name(out: Counts) -> None:
        out[0] = count

    return name


_once, _repeating = for_all_rows(_counted), for_all_rows(_counted, may_repeat=True)
_switched = switch_on_count(_named, (5, 3, 1))


@kernel
def _take(rows: int, once: Counts, repeated: Counts) -> None:
    _once(rows, once)
    _repeating(rows, repeated)


@kernel
def _chosen(count: int, out: Counts) -> None:
    _switched(count, out)


def test_all_rows_are_taken() -> None:
    for rows in range(40):
        once, repeated = np.zeros((2, 2, rows + MOST_ROWS), np.int64)
        _take(rows, once, repeated)
        assert once[0].tolist() == [1] * rows + [0] * MOST_ROWS
        assert (repeated[0, :rows] >= 1).all()
        assert not repeated[:, rows:].any()
        assert once[1].any() == (rows % 2 == 1 or rows == 2), "an even number of them, if not two, needs no single ones"
        assert repeated[1].any() == (0 < rows < FEWER_ROWS)


@pytest.mark.parametrize("left", [1, 4, 6, 7, 10, 100])
def test_never_more_than_are_left(left: int) -> None:
    assert rows_at_once(left) == {1: 1, 4: FEWER_ROWS, 7: FEWER_ROWS}.get(left, MOST_ROWS)


def test_the_microkernel_for_a_count_is_called() -> None:
    out = np.zeros(1, np.int64)
    for count in (1, 3, 5):
        _chosen(count, out)
        assert out[0] == count
