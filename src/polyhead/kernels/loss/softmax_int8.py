"""The softmax over V words as in `softmax_bfloat16`, but with logits from operands rounded to 8-bit integers.

The other two products keep bfloat16: of probabilities, most of which are small, 8 bits would keep too little.
Shapes: N rows, D numbers in each, V words; D is a multiple of PANEL.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.bounds import require
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import Code
from polyhead.kernels.loss.softmax_bfloat16 import (
    BFloat16Workspace,
    Pairs,
    SoftmaxInputs,
    SoftmaxOutputs,
    softmax_projection_of,
)
from polyhead.kernels.microkernels.int8 import FOUR, Int8RightOperand, panel_of, scaled_sums
from polyhead.kernels.microkernels.registers import MR, PANEL
from polyhead.kernels.microkernels.simd import FLOAT_BYTES, LeftOperand
from polyhead.kernels.numbers.bfloat16 import BFloat16s
from polyhead.kernels.packing.pack_int8 import pack_left_rows, pack_right_rows


class _RoundedRows(NamedTuple):
    """Rows as bytes, and the address of their scales."""

    left: LeftOperand
    scales: int


def _sums_of_rows(code: Code, left: Any, right: Any, first: Any) -> list[Any]:
    """The logits of MR rows, sums of products of bytes, as float32."""
    rows, scales = code.unpack(left)
    return [each for row in scaled_sums(code, MR, rows, scales, right, first) for each in row]


_softmax_projection = softmax_projection_of(_sums_of_rows, panel_of)


def workspace_bytes(rows: int, width: int, words: int) -> int:
    """How many bytes both operands take, rounded, with their scales."""
    columns = -(-words // PANEL) * PANEL
    return (columns + PANEL + rows) * width + FLOAT_BYTES * (2 * columns + rows)


@kernel
def softmax_projection(
    x: BFloat16s,
    weight: BFloat16s,
    across: Pairs,
    inputs: SoftmaxInputs,
    outputs: SoftmaxOutputs,
    workspace: BFloat16Workspace,
    bytes_: NDArray[np.uint8],
) -> None:
    """x [N, D], W [V, D] as it is and packed in `across` → outputs; bytes_: `workspace_bytes` to work in."""
    (rows, width), columns = x.shape, outputs.mean_features.shape[0] * PANEL
    require(width % PANEL == 0 and weight.shape[1] == width)
    starts = bytes_.ctypes.data + columns * width
    right = Int8RightOperand(bytes_.ctypes.data, width // FOUR, starts, starts + FLOAT_BYTES * columns)
    scales = right.scales + FLOAT_BYTES * columns
    rows_at = scales + FLOAT_BYTES * rows
    pack_right_rows(weight, right, rows_at)
    pack_left_rows(x, 0, rows, rows_at, scales)
    _softmax_projection(
        _RoundedRows(LeftOperand(rows_at, width, 0), scales), right, x, across, inputs, outputs, workspace
    )
