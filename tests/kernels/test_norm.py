"""LayerNorm of bfloat16 and its gradients by kernels, against PyTorch in float64."""

import numpy as np
import pytest
import torch
from torch import nn

from polyhead.kernels.arrays.tensors import as_bfloat16s
from polyhead.kernels.norm import layer_norm, layer_norm_backward

EPSILON = 1e-5


@pytest.mark.parametrize("rows", [0, 1, 40])
@pytest.mark.parametrize("width", [1, 17, 64])
def test_norm_and_gradients(rows: int, width: int) -> None:
    """Rows of very different size, around different means."""
    spread = 10.0 ** (4 * torch.rand(rows, 1) - 2)
    x, gradient = ((torch.randn(rows, width) + 3) * spread).bfloat16(), torch.randn(rows, width).bfloat16()
    gain, bias = torch.randn(2, width).bfloat16()
    wide = [each.double().requires_grad_() for each in (x, gain, bias)]
    exact = nn.functional.layer_norm(wide[0], [width], *wide[1:], EPSILON)
    wanted = [exact.detach(), *torch.autograd.grad(exact, wide, gradient.double())]

    means, inverses = np.empty((2, rows), np.float32)
    found = [torch.empty_like(each) for each in (x, x, gain, bias)]
    y, d_x, d_gain, d_bias = map(as_bfloat16s, found)
    given, gains = as_bfloat16s(x), as_bfloat16s(gain)
    layer_norm(given, gains, as_bfloat16s(bias), EPSILON, y, means, inverses)
    layer_norm_backward(as_bfloat16s(gradient), given, means, inverses, gains, d_x, d_gain, d_bias)
    np.testing.assert_allclose(means, x.double().mean(1).numpy(), rtol=1e-5)
    for actual, value in zip(found, wanted, strict=True):
        assert float((actual.double() - value).norm()) <= 2**-8 * float(value.norm()) + 1e-3 * (width == 1)
