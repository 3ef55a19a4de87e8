"""The same as `softmax_bfloat16`, but logits are products of operands rounded to 8-bit integers.

The other two products keep bfloat16: of probabilities, most of which are small, 8 bits would keep too little.
Shapes: N rows, D numbers in each, V words; D is a multiple of PANEL.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import Code
from polyhead.kernels.loss.softmax_bfloat16 import Asked, BFloat16Workspace, Expected, Pairs, expectations_of
from polyhead.kernels.microkernels.int8 import FOUR, Right, panel_of, sums_of_bytes
from polyhead.kernels.microkernels.registers import DOWN, PANEL
from polyhead.kernels.microkernels.simd import NUMBER, LeftOperand
from polyhead.kernels.numbers.bfloat16 import Halves
from polyhead.kernels.packing.pack_int8 import take_rows, transpose_rows


class _RoundedRows(NamedTuple):
    """Rows as bytes, and the address of their scales."""

    left: LeftOperand
    scales: int


def _sums_of_rows(code: Code, left: Any, right: Any, first: Any) -> list[Any]:
    """The sums of logits of DOWN rows, of products of bytes, as float32."""
    rows, scales = code.parts(left)
    return [each for row in sums_of_bytes(code, DOWN, rows, scales, right, first) for each in row]


_expectations = expectations_of(_sums_of_rows, panel_of)


def workspace_bytes(rows: int, width: int, words: int) -> int:
    """How many bytes both operands take, rounded, with their scales."""
    columns = -(-words // PANEL) * PANEL
    return (columns + PANEL + rows) * width + NUMBER * (2 * columns + rows)


@kernel
def softmax_projection(
    x: Halves,
    weight: Halves,
    across: Pairs,
    asked: Asked,
    found: Expected,
    workspace: BFloat16Workspace,
    bytes_: NDArray[np.uint8],
) -> None:
    """The same as of bfloat16, but weight [V, D] is not packed yet; bytes_: `workspace_bytes` to work in."""
    (rows, width), columns = x.shape, found.mean_features.shape[0] * PANEL
    starts = bytes_.ctypes.data + columns * width
    right = Right(bytes_.ctypes.data, width // FOUR, starts, starts + NUMBER * columns)
    scales = right.scales + NUMBER * columns
    place = scales + NUMBER * rows
    transpose_rows(weight, right, place)
    take_rows(x, 0, rows, place, scales)
    _expectations(_RoundedRows(LeftOperand(place, width, 0), scales), right, x, across, asked, found, workspace)
