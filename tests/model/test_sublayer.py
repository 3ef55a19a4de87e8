"""Residual connections and layer normalisation."""

import pytest
import torch
from torch import Tensor, nn

from polyhead.model.sublayer import SUBLAYERS, LayerNorm, PostNorm, PreNorm, final_norm

D_MODEL = 8


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-5) -> Tensor:
    """γ (x - μ) / √(σ² + ε) + β over the last axis, as the lecture writes it."""
    mean = x.mean(-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mean) / (variance + epsilon).sqrt() + beta


def test_post_norm_is_the_papers() -> None:
    sublayer, x = PostNorm(D_MODEL, 0.0), torch.randn(2, 3, D_MODEL)
    nn.init.normal_(sublayer.norm.weight)
    nn.init.normal_(sublayer.norm.bias)
    expected = layer_norm(x + x.sin(), sublayer.norm.weight, sublayer.norm.bias)
    torch.testing.assert_close(sublayer(x, torch.sin), expected)


def test_pre_norm_leaves_the_residual_path_clear() -> None:
    sublayer, x = PreNorm(D_MODEL, 0.0), torch.randn(2, 3, D_MODEL)
    nn.init.normal_(sublayer.norm.weight)
    nn.init.normal_(sublayer.norm.bias)
    expected = x + layer_norm(x, sublayer.norm.weight, sublayer.norm.bias).sin()
    torch.testing.assert_close(sublayer(x, torch.sin), expected)
    assert torch.equal(sublayer(x, torch.zeros_like), x)


@pytest.mark.parametrize("norm", SUBLAYERS)
def test_norms_start_as_gamma_one_beta_zero(norm: str) -> None:
    sublayer = SUBLAYERS[norm](D_MODEL, 0.0)
    (layer,) = (module for module in sublayer.modules() if isinstance(module, nn.LayerNorm))
    assert (layer.weight == 1).all()
    assert (layer.bias == 0).all()


@pytest.mark.parametrize("norm", SUBLAYERS)
def test_dropout_is_on_the_sub_layers_output_alone(norm: str) -> None:
    """Section 5.4: before it is added; so a sub-layer that gives zero is untouched by it."""
    sublayer, x = SUBLAYERS[norm](D_MODEL, 0.5), torch.randn(2, 3, D_MODEL)
    trained = sublayer(x, torch.zeros_like)
    assert torch.equal(trained, sublayer.eval()(x, torch.zeros_like))
    sublayer.train()
    assert not torch.equal(sublayer(x, torch.ones_like), sublayer.eval()(x, torch.ones_like))


def test_only_pre_norm_ends_its_stack_with_a_norm() -> None:
    assert isinstance(final_norm("pre", D_MODEL), nn.LayerNorm)
    x = torch.randn(2, D_MODEL)
    assert final_norm("post", D_MODEL)(x) is x


def test_norm_gradients_are_not_lost_in_bfloat16() -> None:
    torch.manual_seed(0)
    x, gradient = torch.randn(4000, 16), torch.rand(4000, 16)
    exact, rounded = LayerNorm(16), LayerNorm(16).bfloat16()
    copy = x.bfloat16().requires_grad_()
    x.requires_grad_()
    exact(x).backward(gradient)
    rounded(copy).backward(gradient.bfloat16())
    assert x.grad is not None
    assert copy.grad is not None
    assert (copy.grad - x.grad).norm() / x.grad.norm() < 0.02
    for name in ("weight", "bias"):
        expected, got = getattr(exact, name).grad, getattr(rounded, name).grad.float()
        assert (got - expected).norm() / expected.norm() < 0.01


def test_norm_keeps_no_wider_copy_for_the_backward_pass() -> None:
    x, kept = torch.randn(50, 16, dtype=torch.bfloat16, requires_grad=True), list[Tensor]()
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        LayerNorm(16).bfloat16()(x)
    assert {tensor.dtype for tensor in kept if tensor.numel() == x.numel()} == {torch.bfloat16}
