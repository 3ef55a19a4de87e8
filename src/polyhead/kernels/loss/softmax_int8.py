"""What a softmax over V words expects, as in `softmax_projection`, with operands rounded to 8-bit integers.

These are the logits alone: of probabilities, most of which are small, 8 bits would keep too little.
Shapes: N rows, D numbers in each, V words; D is a multiple of PANEL.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.loss.exp_logits import exp_logits_of_bytes
from polyhead.kernels.loss.softmax_bfloat16 import Asked, BFloat16Workspace, Floats, Found, Pairs, expectations_of
from polyhead.kernels.microkernels.int8 import FOUR, Right, panel_of
from polyhead.kernels.microkernels.registers import DOWN, PANEL
from polyhead.kernels.microkernels.simd import NUMBER, LeftOperand
from polyhead.kernels.numbers.bfloat16 import Halves
from polyhead.kernels.packing.pack_int8 import take_rows, transpose_rows


class _RoundedRows(NamedTuple):
    """Rows as bytes, and where their scales are."""

    left: LeftOperand
    scales: int


def workspace_bytes(rows: int, width: int, words: int) -> int:
    """Bytes for both operands' bytes and scales."""
    columns = -(-words // PANEL) * PANEL
    return (columns + PANEL + rows) * width + NUMBER * (2 * columns + rows)


@kernel
def _exponentials(
    given: _RoundedRows,
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
    """As those of `softmax_projection`."""
    here = panel_of(right, panel * PANEL)
    for r in range(first, end, DOWN):
        exp_logits_of_bytes(
            given.left,
            given.scales,
            here,
            r,
            shifts[r:].ctypes.data,
            words,
            rows[r - first :].ctypes.data,
            rows.strides[0],
            pairs[(r - first) // 2 :].ctypes.data,
            sums[r:].ctypes.data,
        )


_expectations = expectations_of(_exponentials)


@kernel
def softmax_projection(
    x: Halves,
    weight: Halves,
    across: Pairs,
    asked: Asked,
    found: Found,
    workspace: BFloat16Workspace,
    bytes_: NDArray[np.uint8],
) -> None:
    """weight [V, D]; bytes_: `workspace_bytes`; the rest as it is there."""
    (rows, width), columns = x.shape, found.mean_features.shape[0] * PANEL
    starts = bytes_.ctypes.data + columns * width
    right = Right(bytes_.ctypes.data, width // FOUR, starts, starts + NUMBER * columns)
    scales = right.scales + NUMBER * columns
    place = scales + NUMBER * rows
    transpose_rows(weight, right, place)
    take_rows(x, 0, rows, place, scales)
    _expectations(_RoundedRows(LeftOperand(place, width, 0), scales), right, x, across, asked, found, workspace)
