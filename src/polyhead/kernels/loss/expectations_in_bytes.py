"""What a softmax over V words expects, as in `expectations`, of products whose factors are rounded to 8 bits.

These are the logits alone: of probabilities, most of which are small, 8 bits would keep too little.
Shapes: N rows, D numbers in each, V words; D is a multiple of PANEL.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.factors.in_bytes import take_rows, turn_rows
from polyhead.kernels.kernel import kernel
from polyhead.kernels.loss.expectations import Floats, Pairs, Words, expectations_of
from polyhead.kernels.loss.expectations import Room as RoomOfHalves
from polyhead.kernels.loss.likelihoods import likelihoods_of_bytes
from polyhead.kernels.numbers.bfloat16 import Halves
from polyhead.kernels.sums.byte_sums import FOUR, Right, panel_of
from polyhead.kernels.sums.registers import DOWN, PANEL
from polyhead.kernels.sums.vector_sums import NUMBER


class _Left(NamedTuple):
    """Rows as bytes: addresses of these, a row's bytes, and of the rows' scales."""

    place: int
    row: int
    scales: int


def room_for(rows: int, width: int, words: int) -> int:
    """Bytes for both factors' bytes and scales."""
    columns = -(-words // PANEL) * PANEL
    return (columns + PANEL + rows) * width + NUMBER * (2 * columns + rows)


@kernel
def _exponentials(
    left: _Left,
    right: Right,
    first: int,
    end: int,
    panel: int,
    words: int,
    shifts: Floats,
    rows: Halves,
    pairs: Pairs,
    sums: Floats,
) -> None:
    """As those of `expectations`."""
    here = panel_of(right, panel * PANEL)
    for r in range(first, end, DOWN):
        likelihoods_of_bytes(
            left.place + r * left.row,
            left.row,
            here.panels,
            here.steps,
            here.starts,
            left.scales + NUMBER * r,
            here.scales,
            shifts[r:].ctypes.data,
            words,
            rows[r - first :].ctypes.data,
            rows.strides[0],
            pairs[(r - first) // 2 :].ctypes.data,
            sums[r:].ctypes.data,
        )


_expectations = expectations_of(_exponentials)


@kernel
def expectations(
    x: Halves,
    weight: Halves,
    across: Pairs,
    targets: Words,
    share: float,
    shifts: Floats,
    totals: Floats,
    mean_weight: Floats,
    mean_features: Floats,
    room: RoomOfHalves,
    bytes_: NDArray[np.uint8],
) -> None:
    """weight [V, D]; bytes_: `room_for`; the rest as it is there."""
    (rows, width), words, columns = x.shape, weight.shape[0], mean_features.shape[0] * PANEL
    starts = bytes_.ctypes.data + columns * width
    right = Right(bytes_.ctypes.data, width // FOUR, starts, starts + NUMBER * columns)
    scales = right.scales + NUMBER * columns
    given = scales + NUMBER * rows
    turn_rows(weight, right, given)
    left = _Left(given, width, scales)
    take_rows(x.ctypes.data, x.strides[0], rows, width, given, scales)
    _expectations(left, right, x, across, words, targets, share, shifts, totals, mean_weight, mean_features, room)
