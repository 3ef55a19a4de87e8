"""Linear maps learnt by kernels against PyTorch's in float64."""

import pytest
import torch
from torch import Tensor, nn

from polyhead.hardware import may_use_tiles
from polyhead.model import linear as module
from polyhead.model.feed_forward import FEED_FORWARDS
from polyhead.model.linear import Linear, is_learnt_by_kernels
from tests.marks import bfloat16, learnt_formats, vectors


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    monkeypatch.setattr(module, "LONG", 1)


def gradients(layer: nn.Module, x: Tensor) -> list[Tensor]:
    """Output, d x and d weights, where the output's gradient is sin(place)."""
    x = x.detach().requires_grad_()
    y = layer(x)
    gradient = torch.arange(y.numel()).sin().view(y.shape).bfloat16().to(y.dtype)
    return [y.detach(), *torch.autograd.grad(y, [x, *layer.parameters()], gradient)]


def assert_near(layer: nn.Module, x: Tensor, dtype: torch.dtype) -> None:
    """By kernels as in float64 of the same numbers: of bfloat16 within a hundredth of the length."""
    layer, x = layer.to(dtype), x.to(dtype)
    found, near = gradients(layer, x), 0.01 if dtype == torch.bfloat16 else 1e-6
    for actual, exact in zip(found, gradients(layer.double(), x.double()), strict=True):
        assert actual.dtype == dtype
        assert actual.shape == exact.shape
        assert float((actual.double() - exact).norm()) <= near * float(exact.norm())


@learnt_formats
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (2, 33), (64, 17)])
@pytest.mark.parametrize("width", [8, 40, 128])
@pytest.mark.parametrize("outputs", [48, 96])
def test_output_and_gradients(shape: tuple[int, ...], width: int, outputs: int, dtype: torch.dtype) -> None:
    assert_near(Linear(width, outputs), torch.randn(*shape, width), dtype)


@learnt_formats
@pytest.mark.parametrize("kind", FEED_FORWARDS)
def test_feed_forward_networks(kind: str, dtype: torch.dtype) -> None:
    assert_near(FEED_FORWARDS[kind](24, 56, 0.0), torch.randn(5, 13, 24), dtype)
    assert_near(FEED_FORWARDS[kind](32, 64, 0.0), torch.randn(5, 13, 32), dtype)


@learnt_formats
def test_a_part_of_a_matrix_that_has_gaps_or_none(dtype: torch.dtype) -> None:
    assert_near(Linear(16, 8), torch.randn(4, 16, 9).transpose(1, 2), dtype)
    assert_near(Linear(16, 16), torch.randn(4, 16, 9).transpose(1, 2), dtype)
    layer = Linear(16, 32)
    layer.weight = nn.Parameter(torch.randn(16, 32).t())
    assert_near(layer, torch.randn(5, 16), dtype)


@vectors
def test_in_float32_they_are_for_whole_vectors_that_are_learnt_from() -> None:
    x, weight = torch.randn(3, 16), torch.randn(32, 16)
    assert not is_learnt_by_kernels(x, weight)
    x.requires_grad_()
    assert is_learnt_by_kernels(x, weight)
    assert not is_learnt_by_kernels(x, weight[:30])
    assert not is_learnt_by_kernels(x.double(), weight)


@bfloat16
def test_kernels_are_for_long_products_that_are_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    x, weight = torch.randn(10, 16).bfloat16(), torch.randn(8, 16).bfloat16()
    assert not is_learnt_by_kernels(x, weight)
    x.requires_grad_()
    assert is_learnt_by_kernels(x, weight)
    monkeypatch.setattr(module, "LONG", 10 * 16 * 8 + 1)
    assert not is_learnt_by_kernels(x, weight)


@pytest.mark.skipif(not may_use_tiles(), reason="the CPU has no unit for matrices")
def test_on_the_unit_for_matrices_they_are_for_short_ones_too() -> None:
    x, weight = torch.randn(4, 8, 32).bfloat16().requires_grad_(), torch.randn(64, 32).bfloat16()
    assert is_learnt_by_kernels(x, weight)
    layer = Linear(32, 64).bfloat16()
    assert type(layer(x).grad_fn).__name__ == "_LinearBackward"
