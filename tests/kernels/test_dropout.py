"""Dropout by places and seeds alone: what stays is scaled, and every kernel drops the same."""

import numpy as np
import pytest
import torch
from torch import Tensor

from polyhead.kernels.arrays.tensors import as_array
from polyhead.kernels.dropout import add_with_dropout, apply_dropout, apply_dropout_in_place, drop_threshold

FORMATS = [torch.bfloat16, torch.float32]
SCALE = np.float32(1.5)


def dropped(x: Tensor, rate: float, *seeds: int) -> Tensor:
    out = torch.full_like(x, torch.nan)
    apply_dropout(as_array(x), *map(np.uint32, (*seeds, drop_threshold(rate, 2**16))), SCALE, as_array(out))
    return out


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
@pytest.mark.parametrize("count", [0, 1, 2, 33, 1000])
def test_all_kernels_drop_the_same(count: int, dtype: torch.dtype) -> None:
    x, residual = torch.randn(2, count).to(dtype)
    seeds = np.uint32(3), np.uint32(2**32 - 1), np.uint32(drop_threshold(0.3, 2**16))
    found, added = dropped(x, 0.3, 3, 2**32 - 1), torch.empty_like(x)
    add_with_dropout(as_array(residual), as_array(x), *seeds, SCALE, as_array(added))
    stays = found != 0
    assert torch.equal(found, torch.where(stays, x * 1.5, 0))
    exact = residual.float() + torch.where(stays, x.float() * 1.5, 0)
    torch.testing.assert_close(added, exact.to(dtype), atol=1e-6, rtol=1e-6)
    apply_dropout_in_place(as_array(x), *seeds, SCALE)
    assert torch.equal(x, found)


def test_what_is_dropped_follows_from_places_and_both_seeds() -> None:
    x = torch.ones(10_000)
    whole = dropped(x, 0.5, 1, 2)
    assert torch.equal(whole[:777], dropped(x[:777], 0.5, 1, 2)), "whatever lies behind"
    for seeds in ((1, 3141592653), (2718281828, 2)):
        alike = float((dropped(x, 0.5, *seeds) == whole).float().mean())
        assert alike == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.9])
def test_as_many_are_dropped_as_the_rate_says(rate: float) -> None:
    stays = (dropped(torch.ones(40_000), rate, 5, 6) != 0).float()
    assert float(stays.mean()) == pytest.approx(1 - rate, abs=0.01)
    both = float((stays[:-1] * stays[1:]).mean())
    assert both == pytest.approx((1 - rate) ** 2, abs=0.01), "neighbours are independent"


def test_a_threshold_is_a_part_and_never_all() -> None:
    assert [drop_threshold(rate) for rate in (0, 0.25, 1 - 1e-12)] == [0, 2**30, 2**32 - 1]
    assert drop_threshold(0.5, 2**16) == 2**15
