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


def test_norm_in_bfloat16_is_computed_in_float32() -> None:
    norm, x = LayerNorm(16).bfloat16(), torch.randn(5, 16).bfloat16()
    assert torch.equal(norm(x), nn.functional.layer_norm(x.float(), (16,)).bfloat16())
