"""Matrices as images of tiles, against PyTorch's views; they are packed by vectors, which any CPU has."""

from typing import Any

import pytest
import torch
from torch import nn

from polyhead.kernels.arrays.tensors import as_bfloat16s
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import BLOCK
from polyhead.kernels.numbers.bfloat16 import BFloat16s
from polyhead.kernels.packing.pack_tiles import columns_at_once, pack_right_columns, pack_right_rows
from tests.kernels.tile_images import right_tiles

WIDTH = 3 * BLOCK
NOTHING = as_bfloat16s(torch.empty(0, 1, 2, 16, 16, 2).bfloat16())


@kernel
def _pack(x: BFloat16s, first: int, of_rows: BFloat16s, of_columns: BFloat16s) -> None:
    pack_right_rows(x, first, of_rows.shape[0] * BLOCK, of_rows.shape[1], of_rows.ctypes.data)
    pack_right_columns(x, first, of_columns.shape[0] * BLOCK, of_columns.shape[1], of_columns.ctypes.data)


@kernel
def _columns_at_once(columns: int, steps: int) -> Any:
    return columns_at_once(columns, steps)


def test_rows_become_columns_by_pairs() -> None:
    x, found = torch.randn(4 * BLOCK, WIDTH).bfloat16(), torch.zeros(2, 3, 2, 16, 16, 2).bfloat16()
    _pack(as_bfloat16s(x), BLOCK, as_bfloat16s(found), NOTHING)
    assert torch.equal(found, right_tiles(x[BLOCK : 3 * BLOCK].t().contiguous()))


@pytest.mark.parametrize("rows", [1, BLOCK - 1, BLOCK, 2 * BLOCK + 6])
def test_columns_stay_columns_with_zeros_behind(rows: int) -> None:
    """There is at most one row of zeros: behind it nothing is multiplied."""
    x, steps = torch.randn(rows, WIDTH).bfloat16(), -(-rows // BLOCK)
    found, known = torch.full((2, steps, 2, 16, 16, 2), 7.0).bfloat16(), -(-rows // 2)
    _pack(as_bfloat16s(x), BLOCK, NOTHING, as_bfloat16s(found))
    expected = right_tiles(nn.functional.pad(x[:, BLOCK:], (0, 0, 0, -rows % BLOCK)).contiguous()).clone()
    expected[:, -1, :, known - 16 * (steps - 1) :] = 7
    assert torch.equal(found, expected)


def test_as_many_columns_as_a_cache_holds_are_whole_blocks() -> None:
    assert _columns_at_once(96, 4) == 96
    assert [_columns_at_once(10**6, steps) for steps in (1, 100, 10**6)] == [16384, 160, BLOCK]
