"""What is done with accumulators before they are written, against PyTorch: on a block that lies as AMX leaves it."""

from typing import Any

import pytest
import torch

from polyhead.kernels.arrays.tensors import as_bfloat16s, as_floats
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import (
    BLOCK,
    add_bias,
    add_bias_and_relu,
    apply_to_block,
    gate,
    identity,
    on_bfloat16_row,
)

_identity, _add_bias, _add_bias_and_relu, _gate = (
    apply_to_block(on_bfloat16_row(epilogue)) for epilogue in (identity, add_bias, add_bias_and_relu, gate)
)
FACTOR = 1.5


@kernel
def _apply(sums: Any, inputs: Any, stride: int, out: Any) -> None:
    address, row, read, factor = sums.ctypes.data, out.strides[1], inputs.ctypes.data, FACTOR
    _identity(address, read, stride, factor, out[0].ctypes.data, row)
    _add_bias(address, read, stride, factor, out[1].ctypes.data, row)
    _add_bias_and_relu(address, read, stride, factor, out[2].ctypes.data, row)
    _gate(address, read, stride, factor, out[3].ctypes.data, row)


@pytest.mark.parametrize("of_rows", [BLOCK, 1], ids=["matrix", "bias"])
def test_of_a_block(of_rows: int) -> None:
    """Its result is a part of wider rows, of which nothing else is written."""
    results, inputs = torch.randn(BLOCK, BLOCK), torch.randn(of_rows, BLOCK).relu().bfloat16()
    sums = results.view(BLOCK, BLOCK // 2, 2).transpose(1, 2).contiguous()
    whole = torch.full((4, BLOCK, 2 * BLOCK), 7.0).bfloat16()
    _apply(as_floats(sums), as_bfloat16s(inputs), 2 * BLOCK if of_rows > 1 else 0, as_bfloat16s(whole))
    added = results + inputs.float()
    expected = results, added, added.relu(), torch.where(inputs > 0, FACTOR * results, 0.0)
    assert torch.equal(whole[..., :BLOCK], torch.stack(expected).bfloat16())
    assert (whole[..., BLOCK:] == 7).all()
