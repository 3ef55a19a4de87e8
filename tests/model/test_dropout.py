"""The mask that is cheap to draw is as good as PyTorch's."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from polyhead.model.dropout import Dropout, drawing_from, scaled_keep_mask

DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
"""Operations of PyTorch, and a kernel."""


def draw_mask(count: int, rate: float, dtype: torch.dtype) -> Tensor:
    """[count] float32."""
    ones = torch.ones(count, dtype=dtype)
    return Dropout(rate)(ones).float()


@DTYPES
@pytest.mark.parametrize("rate", [0.0, 0.1, 0.3, 0.5, 0.9, 0.999])
def test_keeps_the_right_share_and_scales_it(rate: float, dtype: torch.dtype) -> None:
    count = 400_000
    mask = draw_mask(count, rate, dtype)
    kept = mask > 0
    spread = (rate * (1 - rate) / count) ** 0.5
    assert float(kept.float().mean()) == pytest.approx(1 - rate, abs=5 * spread + 2**-16)
    torch.testing.assert_close(mask[kept], torch.full((int(kept.sum()),), 1 / (1 - rate)), rtol=0.02, atol=0)
    rounding = 2**-8 if dtype == torch.bfloat16 else 1e-6
    assert float(mask.mean()) == pytest.approx(1, abs=5 * spread / (1 - rate) + rounding)


@DTYPES
@pytest.mark.parametrize("rate", [0.99999, 0.999999, 1 - 1e-12])
def test_a_rate_of_nearly_one_gives_numbers(rate: float, dtype: torch.dtype) -> None:
    ones = torch.ones(400_000, dtype=dtype)
    assert draw_mask(400_000, rate, dtype).isfinite().all()
    assert scaled_keep_mask(ones, rate).isfinite().all()


@DTYPES
def test_neighbours_are_independent(dtype: torch.dtype) -> None:
    """Elements that share a random number share no information; nor do a row's and the next one's."""
    kept = (draw_mask(400_000, 0.5, dtype) > 0).float() - 0.5
    for distance in (*range(1, 9), 16, 128, 256, 1024, 65536):
        assert abs(float((kept[:-distance] * kept[distance:]).mean())) < 0.25 * 5 / 400_000**0.5


@DTYPES
def test_masks_are_independent(dtype: torch.dtype) -> None:
    """One drawn after another, and those of seeds that differ by 1."""
    with drawing_from(1):
        one, next_one = ((draw_mask(400_000, 0.5, dtype) > 0).float() - 0.5 for _ in range(2))
    with drawing_from(2):
        other = (draw_mask(400_000, 0.5, dtype) > 0).float() - 0.5
    for pair in ((one, next_one), (one, other), (one[1:], next_one[:-1]), (one[1:], other[:-1])):
        assert abs(float((pair[0] * pair[1]).mean())) < 0.25 * 5 / 400_000**0.5


@given(
    shape=st.lists(st.integers(0, 5), min_size=1, max_size=3), dtype=st.sampled_from([torch.float32, torch.bfloat16])
)
def test_any_shape_and_dtype(shape: list[int], dtype: torch.dtype) -> None:
    x = torch.ones(shape, dtype=dtype)
    out = Dropout(0.5)(x)
    assert out.shape == x.shape
    assert out.dtype == dtype
    assert set(out.flatten().tolist()) <= {0.0, 2.0}


def test_is_the_identity_in_evaluation_and_at_rate_zero() -> None:
    x = torch.randn(5)
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0)(x) is x


@DTYPES
def test_the_seed_decides_the_mask(dtype: torch.dtype) -> None:
    def mask(seed: int) -> Tensor:
        torch.manual_seed(seed)
        return Dropout(0.5)(torch.ones(101, dtype=dtype))

    assert torch.equal(mask(1), mask(1))
    assert not torch.equal(mask(1), mask(2))


@DTYPES
def test_gradient_flows_through_what_is_kept(dtype: torch.dtype) -> None:
    residual, x = (torch.randn(20, 50).to(dtype).requires_grad_() for _ in range(2))
    out = Dropout(0.3)(x)
    (gradient,) = torch.autograd.grad(out.sum(), x)
    torch.testing.assert_close(gradient * x, out)
    ones = torch.ones_like(x)
    through, kept = torch.autograd.grad(Dropout(0.3).add(residual, ones * x).sum(), (residual, x))
    assert torch.equal(through, ones)
    assert kept.unique().tolist() == pytest.approx([0, 1 / 0.7], rel=0.01)


@DTYPES
def test_what_does_not_lie_in_order_is_dropped_likewise(dtype: torch.dtype) -> None:
    """A transposed tensor, and a gradient that is one number everywhere."""
    x = torch.randn(6, 8).to(dtype).t().requires_grad_()
    with drawing_from(1):
        out = Dropout(0.5).add(x, x)
    with drawing_from(1):
        assert torch.equal(Dropout(0.5).add(x.contiguous(), x.contiguous()), out)
    (gradient,) = torch.autograd.grad(out, x, torch.ones((), dtype=dtype).expand(8, 6))
    torch.testing.assert_close(gradient * x, out, atol=0.02, rtol=0.02)


@DTYPES
def test_added_to_a_residual_it_is_the_sum(dtype: torch.dtype) -> None:
    residual, x = torch.randn(2, 100).to(dtype), torch.randn(2, 100).to(dtype)
    dropout = Dropout(0.3)
    torch.manual_seed(1)
    added = dropout.add(residual, x)
    torch.manual_seed(1)
    torch.testing.assert_close(added, residual + dropout(x), atol=0.02, rtol=0)  # it rounds once less
    assert torch.equal(dropout.eval().add(residual, x), residual + x)
