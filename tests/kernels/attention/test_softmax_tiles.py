"""The softmax of 16 queries side by side, keys down, and its gradient, against PyTorch's in float64."""

from typing import Any

import pytest
import torch

from polyhead.kernels.arrays.tensors import as_bfloat16s, as_floats
from polyhead.kernels.attention.softmax_tiles import MASKED, key_rows, softmax, softmax_backward
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import LANES

SCALE = 0.3


@kernel
def _there_and_back(scores: Any, mask: Any, gradient: Any, weights: Any, d_scores: Any, by_key: Any) -> None:
    pairs, scale = weights.shape[0], SCALE
    softmax(scores.ctypes.data, scale, mask.ctypes.data, pairs, weights.ctypes.data)
    softmax_backward(gradient.ctypes.data, weights.ctypes.data, scale, pairs, d_scores.ctypes.data)
    key_rows(weights.ctypes.data, pairs, by_key.ctypes.data)


@pytest.mark.parametrize("pairs", [1, 2, 9])
def test_of_the_keys_that_a_query_sees(pairs: int) -> None:
    """Query t sees those up to t, the last one none."""
    scores, gradient = 3 * torch.randn(2 * pairs, LANES), torch.randn(2 * pairs, LANES)
    sees = torch.ones(2 * pairs, LANES, dtype=torch.bool).triu()
    sees[:, -1] = False
    mask = torch.where(sees, 0.0, MASKED)
    weights, d_scores = torch.empty(2, pairs, LANES, 2).bfloat16()
    by_key = torch.full((2 * pairs, 2, LANES), 7.0).bfloat16()
    wide = scores.double().requires_grad_()
    expected = (SCALE * wide).masked_fill(~sees, -1e30).softmax(0) * sees
    _there_and_back(*map(as_floats, (scores, mask, gradient)), *map(as_bfloat16s, (weights, d_scores, by_key)))
    found = weights.transpose(1, 2).flatten(0, 1)
    torch.testing.assert_close(found.double(), expected.detach(), atol=1e-6, rtol=2**-8)
    assert torch.equal(by_key[:, 0], found)
    assert (by_key[:, 1] == 7).all()
    (wanted,) = torch.autograd.grad(expected, wide, gradient.double())
    torch.testing.assert_close(d_scores.transpose(1, 2).flatten(0, 1).double(), wanted, atol=0.01, rtol=0.01)
