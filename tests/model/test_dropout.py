"""The mask that is cheap to draw is as good as PyTorch's."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from polyhead.model.dropout import Dropout, scaled_keep_mask


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.3, 0.5, 0.9, 0.999])
def test_keeps_the_right_share_and_scales_it(rate: float) -> None:
    count = 400_000
    mask = scaled_keep_mask(torch.empty(count), rate)
    kept = mask > 0
    spread = (rate * (1 - rate) / count) ** 0.5
    assert float(kept.float().mean()) == pytest.approx(1 - rate, abs=5 * spread + 2**-16)
    torch.testing.assert_close(mask[kept], torch.full((int(kept.sum()),), 1 / (1 - rate)), rtol=0.02, atol=0)
    assert float(mask.mean()) == pytest.approx(1, abs=5 * spread / (1 - rate) + 1e-6)


def test_neighbours_are_independent() -> None:
    """Four elements share one random number, but no information."""
    kept = (scaled_keep_mask(torch.empty(400_000), 0.5) > 0).float() - 0.5
    for distance in range(1, 9):
        assert abs(float((kept[:-distance] * kept[distance:]).mean())) < 0.25 * 5 / 400_000**0.5


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


def test_the_seed_decides_the_mask() -> None:
    def mask(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return Dropout(0.5)(torch.ones(101))

    assert torch.equal(mask(1), mask(1))
    assert not torch.equal(mask(1), mask(2))


def test_gradient_flows_through_what_is_kept() -> None:
    x = torch.randn(1000, requires_grad=True)
    out = Dropout(0.3)(x)
    out.sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad * x.detach(), out.detach())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_added_to_a_residual_it_is_the_sum(dtype: torch.dtype) -> None:
    residual, x = torch.randn(2, 100).to(dtype), torch.randn(2, 100).to(dtype)
    dropout = Dropout(0.3)
    torch.manual_seed(1)
    added = dropout.add(residual, x)
    torch.manual_seed(1)
    torch.testing.assert_close(added, residual + dropout(x), atol=0.02, rtol=0)  # it rounds once less
    assert torch.equal(dropout.eval().add(residual, x), residual + x)
