"""Images of tiles, and their products, against PyTorch."""

import pytest
import torch

from polyhead.kernels.arrays.tensors import as_bfloat16s, as_floats
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import ROWS, close_tiles, open_tiles
from polyhead.kernels.microkernels.tiles import (
    TILE_BYTES,
    TILE_NUMBERS,
    copy_tile,
    interleave_tiles,
    interleaved_product,
    is_supported,
    tile_product,
    transpose_tile,
)
from polyhead.kernels.numbers.bfloat16 import BFloat16s
from polyhead.kernels.numbers.formats import Numbers

PAIRS = TILE_NUMBERS // 2


@kernel
def _images(x: BFloat16s, rows: int, out: BFloat16s) -> None:
    address, stride, to = x.ctypes.data, x.strides[0], out.ctypes.data
    copy_tile(address, stride, rows, to)
    transpose_tile(address, stride, rows, to + TILE_BYTES)
    interleave_tiles(address, stride, rows, to + 2 * TILE_BYTES, to + 3 * TILE_BYTES)


@kernel
def _products(left: BFloat16s, right: BFloat16s, rows: int, pairs: int, scores: Numbers, out: BFloat16s) -> None:
    """Two tiles beside each other times two below each other, one column of tiles and two."""
    x, y, sums = left.ctypes.data, right.ctypes.data, scores.ctypes.data
    open_tiles(ROWS)
    tile_product(x, TILE_BYTES, rows, y, TILE_BYTES, pairs, sums)
    interleaved_product(
        x, TILE_BYTES, y, y + 2 * TILE_BYTES, pairs, sums + TILE_BYTES, out.ctypes.data, out.strides[0], rows
    )
    close_tiles()


@pytest.mark.parametrize("rows", [1, 2, 7, ROWS])
def test_images_of_some_rows(rows: int) -> None:
    """Behind the last row there is that row again, or where rows are interleaved one of zeros."""
    x, images = torch.randn(rows, TILE_NUMBERS + 8).bfloat16(), torch.full((4, ROWS, PAIRS, 2), 7.0).bfloat16()
    _images(as_bfloat16s(x), rows, as_bfloat16s(images))
    tile = x[:, :TILE_NUMBERS].view(rows, PAIRS, 2)
    repeated = torch.cat([tile, tile[-1:].expand(ROWS - rows, -1, -1)])
    assert torch.equal(images[0], repeated)
    assert torch.equal(images[1], repeated.transpose(0, 1))
    by_two = torch.cat([tile, torch.zeros_like(tile[: rows % 2])]).unflatten(0, (-1, 2))
    for parity in (0, 1):
        assert torch.equal(images[2 + parity, : len(by_two)], by_two[..., parity].transpose(1, 2))


@pytest.mark.skipif(not is_supported(), reason="this CPU adds up no pairs of bfloat16")
@pytest.mark.parametrize("rows", [1, 8, ROWS])
@pytest.mark.parametrize("pairs", [1, PAIRS, 2 * PAIRS - 3])
def test_products_of_tiles(rows: int, pairs: int) -> None:
    """Of the last tile's pairs those behind the last are 0 on one side."""
    left, right = torch.randn(2, ROWS, PAIRS, 2).bfloat16(), torch.randn(2, 2, PAIRS, ROWS, 2).bfloat16()
    for tile in range(2):
        left[tile, :, max(0, pairs - PAIRS * tile) :] = 0
    scores, out = torch.empty(3, ROWS, ROWS), torch.full((ROWS + 1, TILE_NUMBERS), 7.0).bfloat16()
    _products(as_bfloat16s(left), as_bfloat16s(right), rows, pairs, as_floats(scores), as_bfloat16s(out))
    even, odd = torch.einsum("trpj,etpcj->erc", left.double(), right.double())
    torch.testing.assert_close(scores[0, :rows].double(), even[:rows], atol=1e-4, rtol=1e-4)
    together = torch.stack([even, odd], 2).flatten(1)
    torch.testing.assert_close(out[:rows].double(), together[:rows], atol=1e-4, rtol=2**-7)
    assert (out[rows:] == 7).all()
