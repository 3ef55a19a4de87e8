"""The softmax of a row and its gradient against PyTorch's in float64."""

from typing import Any

import pytest
import torch

from polyhead.kernels.arrays.tensors import as_floats
from polyhead.kernels.attention.softmax import softmax_row, softmax_row_backward
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES

SCALE = 0.3


@kernel
def _there_and_back(row: Any, count: int, gradient: Any) -> None:
    scale, vectors = SCALE, row.shape[0] // LANES
    softmax_row(row.ctypes.data, vectors, count, scale)
    softmax_row_backward(gradient.ctypes.data, row.ctypes.data, vectors, scale)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 33, 48])
@pytest.mark.parametrize("spread", [1.0, 300.0])
def test_of_the_first_numbers(count: int, spread: float) -> None:
    """Those behind them are masked, however large."""
    row, gradient = spread * torch.randn(3 * LANES), torch.randn(3 * LANES)
    row[count:] = 1e30
    scores = row[:count].double().requires_grad_()
    weights = (SCALE * scores).softmax(0)
    (wanted,) = torch.autograd.grad(weights, scores, gradient[:count].double())
    _there_and_back(as_floats(row), count, as_floats(gradient))
    torch.testing.assert_close(row[:count].double(), weights.detach(), atol=1e-6, rtol=1e-4)
    torch.testing.assert_close(gradient[:count].double(), wanted, atol=1e-6, rtol=1e-4)
    assert (row[count:] == 0).all()
    assert (gradient[count:] == 0).all()
