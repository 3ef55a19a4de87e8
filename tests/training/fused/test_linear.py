"""Linear maps learnt by kernels against PyTorch's in float64."""

import pytest
import torch
from torch import Tensor, nn

from polyhead.hardware import may_use_tiles
from polyhead.kernels.linear import gemm, gemm_int8
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.model.feed_forward import FEED_FORWARDS
from polyhead.model.recording import view_of
from polyhead.training.fused import linear as module
from polyhead.training.fused.fuse import ON_ONE_CORE, exchanged
from polyhead.training.fused.linear import FusedLinear, choose_products, is_worth_a_kernel
from polyhead.training.precision import Arithmetic
from tests.marks import bfloat16, learnt_formats, vectors


@pytest.fixture(autouse=True)
def short_products_are_worth_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEWEST_MULTIPLICATIONS", 1)


def gradients(layer: nn.Module, x: Tensor, fused: bool = False) -> list[Tensor]:
    """Output, d x and d weights, where the output's gradient is sin(place)."""
    x, weights = x.detach().requires_grad_(), list(layer.parameters())
    y = exchanged(view_of(layer), Arithmetic(x.dtype), ON_ONE_CORE)(x) if fused else layer(x)
    gradient = torch.arange(y.numel()).sin().view(y.shape).bfloat16().to(y.dtype)
    return [y.detach(), *torch.autograd.grad(y, [x, *weights], gradient)]


def assert_near(layer: nn.Module, x: Tensor, dtype: torch.dtype) -> None:
    """By kernels as in float64 of the same numbers: of bfloat16 within a hundredth of the length."""
    layer, x = layer.to(dtype), x.to(dtype)
    found, near = gradients(layer, x, fused=True), 0.01 if dtype == torch.bfloat16 else 1e-6
    for actual, exact in zip(found, gradients(layer.double(), x.double()), strict=True):
        assert actual.dtype == dtype
        assert actual.shape == exact.shape
        assert float((actual.double() - exact).norm()) <= near * float(exact.norm())


@learnt_formats
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (2, 33), (64, 17)])
@pytest.mark.parametrize("width", [8, 40, 128])
@pytest.mark.parametrize("outputs", [48, 96])
def test_output_and_gradients(shape: tuple[int, ...], width: int, outputs: int, dtype: torch.dtype) -> None:
    assert_near(nn.Linear(width, outputs), torch.randn(*shape, width), dtype)


@learnt_formats
@pytest.mark.parametrize("kind", FEED_FORWARDS)
def test_feed_forward_networks(kind: str, dtype: torch.dtype) -> None:
    assert_near(FEED_FORWARDS[kind](24, 56, 0.0), torch.randn(5, 13, 24), dtype)
    assert_near(FEED_FORWARDS[kind](32, 64, 0.0), torch.randn(5, 13, 32), dtype)


@learnt_formats
def test_a_part_of_a_matrix_that_has_gaps_or_none(dtype: torch.dtype) -> None:
    assert_near(nn.Linear(16, 8), torch.randn(4, 16, 9).transpose(1, 2), dtype)
    assert_near(nn.Linear(16, 16), torch.randn(4, 16, 9).transpose(1, 2), dtype)
    layer = nn.Linear(16, 32)
    layer.weight = nn.Parameter(torch.randn(16, 32).t())
    assert_near(layer, torch.randn(5, 16), dtype)


@vectors
def test_in_float32_they_are_for_whole_vectors() -> None:
    x, weight = torch.randn(3, 16), torch.randn(32, 16)
    assert choose_products(Arithmetic(), x, weight) is not None
    assert choose_products(Arithmetic(), x, weight[:30]) is None


@pytest.mark.skipif(not gemm_int8.is_supported(), reason="the CPU doesn't multiply whole numbers")
def test_in_int8_they_are_for_sums_that_fit_32_bits() -> None:
    arithmetic, x, weight = Arithmetic(int8=True), torch.ones(3, PANEL), torch.empty(gemm_int8.LONGEST + PANEL, PANEL)
    assert isinstance(choose_products(arithmetic, x, weight[: gemm_int8.LONGEST]), gemm.Int8)
    assert not isinstance(choose_products(arithmetic, x, weight), gemm.Int8)


@bfloat16
def test_a_kernel_transposes_for_long_products(monkeypatch: pytest.MonkeyPatch) -> None:
    x, weight = torch.randn(10, 16).bfloat16(), torch.randn(8, 16).bfloat16()
    assert is_worth_a_kernel(x, weight)
    assert not is_worth_a_kernel(x.float(), weight.float())
    monkeypatch.setattr(module, "FEWEST_MULTIPLICATIONS", 10 * 16 * 8 + 1)
    assert not is_worth_a_kernel(x, weight)


@pytest.mark.skipif(not may_use_tiles(), reason="the CPU has no unit for matrices")
def test_on_the_unit_for_matrices_they_are_for_short_ones_too() -> None:
    arithmetic = Arithmetic(torch.bfloat16)
    x, weight = torch.randn(4, 8, 32).bfloat16().requires_grad_(), torch.randn(64, 32).bfloat16()
    assert choose_products(arithmetic, x, weight) is not None
    layer = FusedLinear(nn.Linear(32, 64).bfloat16(), arithmetic)
    assert type(layer(x).grad_fn).__name__ == "_LinearBackward"
