"""A product of bfloat16 on AMX against float64, and what it prefetches."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from polyhead.hardware import may_use_tiles
from polyhead.kernels.arrays.tensors import as_bfloat16s, as_floats
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import ROW_BYTES, ROWS, close_tiles, open_tiles
from polyhead.kernels.microkernels.amx_block import STEPS
from polyhead.kernels.microkernels.amx_gemm import (
    LeftTiles,
    OutputTiles,
    Prefetched,
    TileEpilogueInput,
    _from_step,
    _lines_at_once,
    _lines_of,
    accumulate_block,
    prefetched_rows,
    product_of,
    product_workspace_bytes,
)
from polyhead.kernels.microkernels.epilogue import BLOCK, add_bias, on_bfloat16_row
from polyhead.kernels.numbers.bfloat16 import BFloat16s
from polyhead.kernels.packing.pack_tiles import left_rows
from tests.kernels.tile_images import right_tiles

Floats = NDArray[np.float32]
LINE, STEP = 4096, 64
COLUMNS = 2 * BLOCK
on_tiles = pytest.mark.skipif(not may_use_tiles(), reason="this CPU has no unit for matrices")
_with_bias = product_of(on_bfloat16_row(add_bias))


@kernel
def _multiply(x: BFloat16s, right: BFloat16s, bias: BFloat16s, out: BFloat16s, workspace: NDArray[np.uint8]) -> None:
    left, steps = left_rows(x), x.shape[1] // BLOCK
    inputs = TileEpilogueInput(bias.ctypes.data, 0, ROW_BYTES, 1.0)
    to = OutputTiles(out.ctypes.data, out.strides[0], ROW_BYTES)
    address = workspace.ctypes.data
    open_tiles(ROWS)
    _with_bias(left, x.shape[0], right.ctypes.data, COLUMNS, steps, inputs, to, address, prefetched_rows(left))
    close_tiles()


@kernel
def _accumulate(x: BFloat16s, right: BFloat16s, fresh: bool, sums: Floats) -> None:
    left, steps = left_rows(x), x.shape[1] // BLOCK
    open_tiles(ROWS)
    accumulate_block(left, right.ctypes.data, COLUMNS, steps, fresh, sums.ctypes.data, prefetched_rows(left))
    close_tiles()


def draw(rows: int, steps: int) -> tuple[Tensor, Tensor, Tensor]:
    """Rows that are a part of wider ones, and a right operand as it is and in tiles."""
    right = torch.randn(BLOCK * steps, COLUMNS).bfloat16()
    return torch.randn(rows, BLOCK * (steps + 1)).bfloat16()[:, : BLOCK * steps], right, right_tiles(right)


@on_tiles
@pytest.mark.parametrize("rows", [BLOCK, BLOCK + 1, 3 * BLOCK])
@pytest.mark.parametrize("steps", [1, STEPS, STEPS + 1])
def test_product_with_a_bias(rows: int, steps: int) -> None:
    x, right, tiles = draw(rows, steps)
    bias, out = torch.randn(COLUMNS).bfloat16(), torch.full((rows + 1, COLUMNS), torch.nan).bfloat16()
    workspace = np.full(product_workspace_bytes(COLUMNS), 255, np.uint8)
    _multiply(*map(as_bfloat16s, (x, tiles, bias, out[:rows])), workspace)
    exact = x.double() @ right.double() + bias.double()
    torch.testing.assert_close(out[:rows].double(), exact, rtol=2**-7, atol=1e-3 * float(exact.abs().max()))
    assert bool(out[rows:].isnan().all())


@on_tiles
@pytest.mark.parametrize("steps", [1, STEPS + 1])
@pytest.mark.parametrize("fresh", [True, False])
def test_products_are_added_up_in_memory(steps: int, fresh: bool) -> None:
    """Of each row's sums the even columns come first."""
    x, right, tiles = draw(BLOCK, steps)
    before = torch.randn(COLUMNS // BLOCK, BLOCK, BLOCK)
    sums = before.clone()
    _accumulate(*map(as_bfloat16s, (x, tiles)), fresh, as_floats(sums))
    exact = (x.double() @ right.double()).view(BLOCK, -1, BLOCK // 2, 2).permute(1, 0, 3, 2).flatten(2)
    exact = exact if fresh else exact + before
    torch.testing.assert_close(sums.double(), exact, rtol=1e-4, atol=1e-4 * float(exact.abs().max()))


@given(st.integers(1, 80))
def test_no_line_of_a_step_is_left_after_its_last_column(blocks: int) -> None:
    """Blocks of columns take turns; one that would begin behind the last line takes that line again."""
    columns, later = blocks * BLOCK, Prefetched(1000, LINE, STEP)
    count = _lines_at_once(columns)
    firsts = [(_lines_of(later, column, count) - 1000) // LINE for column in range(0, columns, BLOCK)]
    assert {line for first in firsts for line in range(first, first + count)} >= set(range(BLOCK))
    assert all(0 <= first < BLOCK for first in firsts)


def test_what_is_prefetched_from_a_later_step_on() -> None:
    assert _from_step(Prefetched(1000, LINE, STEP), 3) == (1000 + 3 * STEP, LINE, STEP)


def test_the_rows_of_a_left_operand_are_prefetched_as_they_lie() -> None:
    assert prefetched_rows(LeftTiles(1, 2, 3, 4, 5)) == (1, 2, 4)
