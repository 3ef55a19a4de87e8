"""Masks that are cheap to draw are as good as PyTorch's: the model's own, and the fused part's."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from polyhead.model.dropout import Dropout, drawing_from, scaled_keep_mask
from polyhead.training.fused.dropout import FusedDropout, add_dropout
from polyhead.training.precision import Arithmetic
from tests.devices import on_any_device

DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
KINDS = pytest.mark.parametrize("fused", [False, True], ids=["plain", "fused"])


def made(rate: float, fused: bool) -> Dropout | FusedDropout:
    """Operations of PyTorch, or a kernel."""
    return FusedDropout(Dropout(rate), Arithmetic()) if fused else Dropout(rate)


def draw_mask(count: int, rate: float, dtype: torch.dtype, fused: bool) -> Tensor:
    """[count] float32."""
    ones = torch.ones(count, dtype=dtype)
    return made(rate, fused)(ones).float()


@KINDS
@DTYPES
@pytest.mark.parametrize("rate", [0.0, 0.1, 0.3, 0.5, 0.9, 0.999])
def test_keeps_the_right_share_and_scales_it(rate: float, dtype: torch.dtype, fused: bool) -> None:
    count = 400_000
    mask = draw_mask(count, rate, dtype, fused)
    kept = mask > 0
    spread = (rate * (1 - rate) / count) ** 0.5
    assert float(kept.float().mean()) == pytest.approx(1 - rate, abs=5 * spread + 2**-16)
    torch.testing.assert_close(mask[kept], torch.full((int(kept.sum()),), 1 / (1 - rate)), rtol=0.02, atol=0)
    rounding = 2**-8 if dtype == torch.bfloat16 else 1e-6
    assert float(mask.mean()) == pytest.approx(1, abs=5 * spread / (1 - rate) + rounding)


@KINDS
@DTYPES
@pytest.mark.parametrize("rate", [0.99999, 0.999999, 1 - 1e-12])
def test_a_rate_of_nearly_one_gives_numbers(rate: float, dtype: torch.dtype, fused: bool) -> None:
    ones = torch.ones(400_000, dtype=dtype)
    assert draw_mask(400_000, rate, dtype, fused).isfinite().all()
    assert scaled_keep_mask(ones, rate).isfinite().all()


@KINDS
@DTYPES
def test_neighbours_are_independent(dtype: torch.dtype, fused: bool) -> None:
    """Elements that share a random number share no information; nor do a row's and the next one's."""
    kept = (draw_mask(400_000, 0.5, dtype, fused) > 0).float() - 0.5
    for distance in (*range(1, 9), 16, 128, 256, 1024, 65536):
        assert abs(float((kept[:-distance] * kept[distance:]).mean())) < 0.25 * 5 / 400_000**0.5


@KINDS
@DTYPES
def test_masks_are_independent(dtype: torch.dtype, fused: bool) -> None:
    """One drawn after another, and those of seeds that differ by 1."""
    with drawing_from(1):
        one, next_one = ((draw_mask(400_000, 0.5, dtype, fused) > 0).float() - 0.5 for _ in range(2))
    with drawing_from(2):
        other = (draw_mask(400_000, 0.5, dtype, fused) > 0).float() - 0.5
    for pair in ((one, next_one), (one, other), (one[1:], next_one[:-1]), (one[1:], other[:-1])):
        assert abs(float((pair[0] * pair[1]).mean())) < 0.25 * 5 / 400_000**0.5


@KINDS
@given(
    shape=st.lists(st.integers(0, 5), min_size=1, max_size=3), dtype=st.sampled_from([torch.float32, torch.bfloat16])
)
def test_any_shape_and_dtype(fused: bool, shape: list[int], dtype: torch.dtype) -> None:
    x = torch.ones(shape, dtype=dtype)
    out = made(0.5, fused)(x)
    assert out.shape == x.shape
    assert out.dtype == dtype
    assert set(out.flatten().tolist()) <= {0.0, 2.0}


@KINDS
def test_is_the_identity_in_evaluation_and_at_rate_zero(fused: bool) -> None:
    x = torch.randn(5)
    assert made(0.5, fused).eval()(x) is x
    assert made(0.0, fused)(x) is x


@KINDS
@DTYPES
def test_the_seed_decides_the_mask(dtype: torch.dtype, fused: bool) -> None:
    def mask(seed: int) -> Tensor:
        torch.manual_seed(seed)
        return made(0.5, fused)(torch.ones(101, dtype=dtype))

    assert torch.equal(mask(1), mask(1))
    assert not torch.equal(mask(1), mask(2))


@KINDS
@DTYPES
def test_gradient_flows_through_what_is_kept(dtype: torch.dtype, fused: bool) -> None:
    x = torch.randn(20, 50).to(dtype).requires_grad_()
    out = made(0.3, fused)(x)
    (gradient,) = torch.autograd.grad(out.sum(), x)
    torch.testing.assert_close(gradient * x, out)


@DTYPES
def test_gradient_flows_through_a_residual_and_what_is_kept(dtype: torch.dtype) -> None:
    residual, x = (torch.randn(20, 50).to(dtype).requires_grad_() for _ in range(2))
    ones = torch.ones_like(x)
    out = add_dropout(residual, ones * x, FusedDropout(Dropout(0.3), Arithmetic()))
    through, kept = torch.autograd.grad(out.sum(), (residual, x))
    assert torch.equal(through, ones)
    assert kept.unique().tolist() == pytest.approx([0, 1 / 0.7], rel=0.01)


@DTYPES
def test_what_does_not_lie_in_order_is_dropped_likewise(dtype: torch.dtype) -> None:
    """A transposed tensor, and a gradient that is one number everywhere."""
    dropout = FusedDropout(Dropout(0.5), Arithmetic())
    x = torch.randn(6, 8).to(dtype).t().requires_grad_()
    with drawing_from(1):
        out = add_dropout(x, x, dropout)
    with drawing_from(1):
        assert torch.equal(add_dropout(x.contiguous(), x.contiguous(), dropout), out)
    (gradient,) = torch.autograd.grad(out, x, torch.ones((), dtype=dtype).expand(8, 6))
    torch.testing.assert_close(gradient * x, out, atol=0.02, rtol=0.02)


@DTYPES
def test_added_to_a_residual_it_is_the_sum(dtype: torch.dtype) -> None:
    residual, x = torch.randn(2, 100).to(dtype), torch.randn(2, 100).to(dtype)
    dropout = FusedDropout(Dropout(0.3), Arithmetic())
    torch.manual_seed(1)
    added = add_dropout(residual, x, dropout)
    torch.manual_seed(1)
    torch.testing.assert_close(added, residual + dropout(x), atol=0.02, rtol=0)  # it rounds once less
    assert torch.equal(add_dropout(residual, x, dropout.eval()), residual + x)


@on_any_device
def test_a_mask_follows_from_the_seed_on_any_device(device: str) -> None:
    """Whatever was drawn before it; another seed gives another one."""
    x, dropout = torch.ones(2000, device=device), Dropout(0.5)
    masks: list[Tensor] = []
    for seed in (1, 2, 1):
        dropout(x)
        with drawing_from(seed, torch.device(device)):
            masks.append(dropout(x))
    assert torch.equal(masks[0], masks[2])
    assert 0.4 < float((masks[0] == masks[1]).float().mean()) < 0.6
