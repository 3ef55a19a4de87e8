"""Linear maps learnt by kernels against PyTorch's in float32."""

import pytest
import torch
from torch import Tensor, nn

from polyhead.hardware import may_use_tiles, multiplies_bfloat16
from polyhead.model import linear as module
from polyhead.model.feed_forward import FEED_FORWARDS
from polyhead.model.linear import Linear, is_learnt_by_kernels


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    if not multiplies_bfloat16():
        pytest.skip("oneDNN does not multiply bfloat16 on this CPU")
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    monkeypatch.setattr(module, "LONG", 1)


def gradients(layer: nn.Module, x: Tensor) -> list[Tensor]:
    """Output, d x and d weights, where the output's gradient is sin(place)."""
    x = x.detach().requires_grad_()
    y = layer(x)
    gradient = torch.arange(y.numel()).sin().view(y.shape).bfloat16().to(y.dtype)
    return [y.detach(), *torch.autograd.grad(y, [x, *layer.parameters()], gradient)]


def assert_near(layer: nn.Module, x: Tensor) -> None:
    """In bfloat16, by kernels, as in float32 of the same numbers: within a hundredth of the length."""
    layer, x = layer.bfloat16(), x.bfloat16()
    found = gradients(layer, x)
    for actual, exact in zip(found, gradients(layer.float(), x.float()), strict=True):
        assert actual.dtype == torch.bfloat16
        assert actual.shape == exact.shape
        assert float((actual.float() - exact).norm()) <= 0.01 * float(exact.norm())


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (2, 33), (64, 17)])
@pytest.mark.parametrize("width", [8, 40, 128])
@pytest.mark.parametrize("outputs", [48, 96])
def test_output_and_gradients(shape: tuple[int, ...], width: int, outputs: int) -> None:
    assert_near(Linear(width, outputs), torch.randn(*shape, width))


@pytest.mark.parametrize("kind", FEED_FORWARDS)
def test_feed_forward_networks(kind: str) -> None:
    assert_near(FEED_FORWARDS[kind](24, 56, 0.0), torch.randn(5, 13, 24))
    assert_near(FEED_FORWARDS[kind](32, 64, 0.0), torch.randn(5, 13, 32))


def test_a_part_of_a_matrix_that_has_gaps_or_none() -> None:
    layer, x = Linear(16, 8).bfloat16(), torch.randn(4, 16, 9).bfloat16().transpose(1, 2)
    assert_near(layer, x)


def test_kernels_are_for_long_products_that_are_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    x, weight = torch.randn(10, 16).bfloat16(), torch.randn(8, 16).bfloat16()
    assert not is_learnt_by_kernels(x, weight)
    x.requires_grad_()
    assert is_learnt_by_kernels(x, weight)
    assert not is_learnt_by_kernels(x.float(), weight)
    monkeypatch.setattr(module, "LONG", 10 * 16 * 8 + 1)
    assert not is_learnt_by_kernels(x, weight)


@pytest.mark.skipif(not may_use_tiles(), reason="the CPU has no unit for matrices")
def test_on_the_unit_for_matrices_they_are_for_short_ones_too() -> None:
    x, weight = torch.randn(4, 8, 32).bfloat16().requires_grad_(), torch.randn(64, 32).bfloat16()
    assert is_learnt_by_kernels(x, weight)
    layer = Linear(32, 64).bfloat16()
    assert type(layer(x).grad_fn).__name__ == "_LinearBackward"
