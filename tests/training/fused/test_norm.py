"""LayerNorm of bfloat16 by a kernel."""

import pytest
import torch
from torch import Tensor, nn

from polyhead.model.sublayer import LayerNorm
from polyhead.training.fused.norm import FusedLayerNorm


def made(width: int) -> tuple[LayerNorm, FusedLayerNorm]:
    """The plain norm in bfloat16, and the fused one over its parameters."""
    plain = LayerNorm(width).bfloat16()
    return plain, FusedLayerNorm(plain)


@pytest.mark.parametrize("shape", [(4000, 16), (7, 3, 40), (1, 1, 128)])
def test_norm_in_bfloat16_is_near_float64s(shape: tuple[int, ...]) -> None:
    """Its gradients too: summed up in bfloat16, those of gain and bias would lose a tenth."""
    width = shape[-1]
    plain, rounded = made(width)
    nn.init.normal_(plain.weight)
    nn.init.normal_(plain.bias)
    exact = nn.LayerNorm(width).double()
    exact.load_state_dict(plain.state_dict())
    x, gradient = torch.randn(shape).bfloat16().requires_grad_(), torch.rand(shape).bfloat16()
    wide = x.detach().double().requires_grad_()
    found, expected = rounded(x), exact(wide)
    got = torch.autograd.grad(found, [x, rounded.weight, rounded.bias], gradient)
    wanted = torch.autograd.grad(expected, [wide, exact.weight, exact.bias], gradient.double())
    for actual, value in zip((found.detach(), *got), (expected.detach(), *wanted), strict=True):
        assert actual.dtype == torch.bfloat16
        assert actual.shape == value.shape
        assert float((actual - value).norm()) <= 0.01 * float(value.norm()) + 1e-6


def test_norm_of_equal_numbers_is_its_bias() -> None:
    plain, norm = made(16)
    nn.init.constant_(plain.bias, 0.5)
    assert (norm(torch.full((3, 16), 7.0, dtype=torch.bfloat16)) == 0.5).all()


def test_norm_takes_what_does_not_lie_in_order() -> None:
    (_, norm), x = made(16), torch.randn(16, 5, dtype=torch.bfloat16)
    assert torch.equal(norm(x.t()), norm(x.t().contiguous()))


def test_norm_keeps_no_wider_copy_for_the_backward_pass() -> None:
    x, kept = torch.randn(50, 16, dtype=torch.bfloat16, requires_grad=True), list[Tensor]()
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        made(16)[1](x)
    assert {tensor.dtype for tensor in kept if tensor.numel() == x.numel()} == {torch.bfloat16}
