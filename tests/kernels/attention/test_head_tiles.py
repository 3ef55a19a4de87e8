"""Heads as tiles for attention's products, against PyTorch's views; they are packed by vectors, which any CPU has."""

import pytest
import torch
from torch import Tensor

from polyhead.kernels.arrays.tensors import as_bfloat16s
from polyhead.kernels.attention.head_tiles import (
    pack_interleaved,
    pack_rows,
    pack_transposed,
    steps_of,
    transpose_weights,
)
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import ROWS
from polyhead.kernels.microkernels.tiles import TILE_NUMBERS
from polyhead.kernels.numbers.bfloat16 import BFloat16s

WIDTH = 2
"""Tiles beside each other."""
PAIRS = TILE_NUMBERS // 2
some_rows = pytest.mark.parametrize("rows", [1, ROWS - 1, ROWS, 2 * ROWS + 5])


@kernel
def _pack(x: BFloat16s, of_rows: BFloat16s, transposed: BFloat16s, interleaved: BFloat16s) -> None:
    address, stride, rows = x.ctypes.data, x.strides[0], x.shape[0]
    pack_rows(address, stride, rows, WIDTH, of_rows.ctypes.data)
    pack_transposed(address, stride, rows, WIDTH, transposed.ctypes.data)
    pack_interleaved(address, stride, rows, WIDTH, interleaved.ctypes.data)


@kernel
def _transpose(weights: BFloat16s, count: int, out: BFloat16s) -> None:
    transpose_weights(weights.ctypes.data, count, out.ctypes.data)


def packed(rows: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A head in rows that are wider, and what becomes of it: [tiles below, tiles beside, ROWS, PAIRS, 2], twice, and
    [tiles beside, 2, tiles of pairs below, ROWS, PAIRS, 2].
    """
    x, below = torch.randn(rows, WIDTH * TILE_NUMBERS + 8).bfloat16(), -(-rows // ROWS)
    images = [torch.full((below, WIDTH, ROWS, PAIRS, 2), 7.0).bfloat16() for _ in range(2)]
    steps = steps_of((rows + 1) // 2)
    interleaved = torch.full((WIDTH, 2, steps, ROWS, PAIRS, 2), 7.0).bfloat16()
    _pack(as_bfloat16s(x), *map(as_bfloat16s, (*images, interleaved)))
    return x[:, : WIDTH * TILE_NUMBERS].unflatten(1, (WIDTH, PAIRS, 2)), *images, interleaved


def whole_tiles(x: Tensor) -> Tensor:
    """The last row is repeated to the end of a tile: → [tiles below, tiles beside, ROWS, PAIRS, 2]."""
    full = torch.cat([x, x[-1:].expand(-len(x) % ROWS, -1, -1, -1)])
    return full.unflatten(0, (-1, ROWS)).transpose(1, 2)


@some_rows
def test_rows_of_a_left_operand(rows: int) -> None:
    x, of_rows, _, _ = packed(rows)
    assert torch.equal(of_rows, whole_tiles(x))


@some_rows
def test_rows_whose_numbers_are_added_up(rows: int) -> None:
    x, _, transposed, _ = packed(rows)
    assert torch.equal(transposed, whole_tiles(x).transpose(2, 3))


@some_rows
def test_rows_that_are_added_up(rows: int) -> None:
    """Two rows beside each other, even columns before odd ones; behind an odd number there is a row of zeros."""
    x, _, _, interleaved = packed(rows)
    pairs = torch.cat([x, torch.zeros_like(x[: rows % 2])]).unflatten(0, (-1, 2))
    found = interleaved.flatten(2, 3)[:, :, : len(pairs)]
    assert torch.equal(found, pairs.permute(2, 4, 0, 3, 1))


@pytest.mark.parametrize("count", [1, ROWS, ROWS + 3])
def test_weights_with_a_query_in_each_row(count: int) -> None:
    weights, steps = torch.randn(count, ROWS, 2).bfloat16(), steps_of(count)
    found = torch.full((steps, ROWS, PAIRS, 2), 7.0).bfloat16()
    _transpose(as_bfloat16s(weights), count, as_bfloat16s(found))
    full = torch.cat([weights, weights[-1:].expand(steps * ROWS - count, -1, -1)])
    assert torch.equal(found, full.unflatten(0, (steps, ROWS)).transpose(1, 2))
