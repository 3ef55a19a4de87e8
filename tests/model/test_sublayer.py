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


@pytest.mark.parametrize("training", [True, False], ids=["kernel", "operations"])
@pytest.mark.parametrize("shape", [(4000, 16), (7, 3, 40), (1, 1, 128)])
def test_norm_in_bfloat16_is_near_float64s(shape: tuple[int, ...], training: bool) -> None:
    """Its gradients too: summed up in bfloat16, those of gain and bias would lose a tenth."""
    width = shape[-1]
    rounded = LayerNorm(width).bfloat16().train(training)
    nn.init.normal_(rounded.weight)
    nn.init.normal_(rounded.bias)
    exact = nn.LayerNorm(width).double()
    exact.load_state_dict(rounded.state_dict())
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
    norm = LayerNorm(16).bfloat16()
    nn.init.constant_(norm.bias, 0.5)
    assert (norm(torch.full((3, 16), 7.0, dtype=torch.bfloat16)) == 0.5).all()


def test_norm_takes_what_does_not_lie_in_order() -> None:
    norm, x = LayerNorm(16).bfloat16(), torch.randn(16, 5, dtype=torch.bfloat16)
    assert torch.equal(norm(x.t()), norm(x.t().contiguous()))


def test_norm_keeps_no_wider_copy_for_the_backward_pass() -> None:
    x, kept = torch.randn(50, 16, dtype=torch.bfloat16, requires_grad=True), list[Tensor]()
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        LayerNorm(16).bfloat16()(x)
    assert {tensor.dtype for tensor in kept if tensor.numel() == x.numel()} == {torch.bfloat16}
