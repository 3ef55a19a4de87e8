"""Matrices transposed, and summed on the way, against PyTorch."""

import pytest
import torch

from polyhead.kernels.arrays.tensors import as_bfloat16s
from polyhead.kernels.packing.transpose import BLOCK, transpose, transpose_gated

SIZES = [1, BLOCK - 1, BLOCK, 2 * BLOCK + 3]


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("columns", SIZES)
def test_every_number_finds_its_place(rows: int, columns: int) -> None:
    x = torch.randn(rows, columns).bfloat16()
    out, total = torch.zeros(columns, rows).bfloat16(), torch.zeros(columns).bfloat16()
    transpose(as_bfloat16s(x), as_bfloat16s(out), as_bfloat16s(total))
    assert torch.equal(out, x.t())
    torch.testing.assert_close(total, x.double().sum(0).bfloat16(), atol=1e-2, rtol=1e-2)


@pytest.mark.parametrize("rows", SIZES)
def test_where_a_relu_gave_nothing_nothing_comes_back(rows: int) -> None:
    x, activated = torch.randn(rows, 70).bfloat16(), torch.randn(rows, 70).bfloat16().relu()
    out, total = torch.ones(70, rows).bfloat16(), torch.ones(70).bfloat16()
    expected = torch.where(activated > 0, x * 2, 0.0)
    transpose_gated(as_bfloat16s(x), as_bfloat16s(activated), 2.0, as_bfloat16s(out), as_bfloat16s(total))
    assert torch.equal(x, expected)
    assert torch.equal(out, expected.t())
    torch.testing.assert_close(total, expected.double().sum(0).bfloat16(), atol=1e-2, rtol=1e-2)
