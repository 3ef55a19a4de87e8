"""The softmax over the vocabulary and its gradients on AMX, against float64."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from polyhead.hardware import may_use_tiles
from polyhead.kernels.arrays.tensors import as_bfloat16s, as_floats
from polyhead.kernels.loss.softmax_amx import (
    EXTRA_ROWS,
    ROW_INPUTS,
    TilesWorkspace,
    padded_rows,
    softmax_projection,
    workspace_bytes,
)
from polyhead.kernels.microkernels.epilogue import BLOCK
from tests.kernels.loss.expectations import SHARE, Problem

UNIFORM = 1e-3


@given(st.integers(0, 100_000))
def test_rows_are_an_odd_number_of_blocks_with_room_for_the_extra_ones(rows: int) -> None:
    padded = padded_rows(rows)
    blocks, left = divmod(padded, BLOCK)
    assert (left, blocks % 2) == (0, 1)
    assert rows + EXTRA_ROWS <= padded < rows + EXTRA_ROWS + 2 * BLOCK


@pytest.mark.skipif(not may_use_tiles(), reason="this CPU has no unit for matrices")
@pytest.mark.parametrize("rows", [1, BLOCK, 2 * BLOCK + 5])
@pytest.mark.parametrize("words", [5, BLOCK, 2 * BLOCK + 3])
def test_expectations(rows: int, words: int) -> None:
    problem = Problem.drawn(rows, 2 * BLOCK, words, torch.bfloat16)
    problem.assert_near(*expectations(problem), 0.01, UNIFORM)


def expectations(problem: Problem) -> tuple[Tensor, Tensor, Tensor]:
    """Nothing that is worked in is a number before."""
    (known, width), words = problem.features.shape, len(problem.weight)
    rows = padded_rows(known)
    x = nn.functional.pad(problem.features, (0, 0, 0, rows - known))
    row_inputs = torch.zeros(rows, ROW_INPUTS)
    row_inputs[:known, 0] = problem.shifts
    totals, mean_weight = torch.full((rows,), torch.nan), torch.full((known, width), torch.nan)
    d_weight = torch.full((words, width), torch.nan).bfloat16()
    exponentials = torch.full((-(-words // BLOCK), rows, BLOCK), torch.nan).bfloat16()
    workspace = TilesWorkspace(
        as_bfloat16s(exponentials),
        as_floats(torch.full((rows // BLOCK, width // BLOCK, BLOCK, BLOCK), torch.nan)),
        as_bfloat16s(torch.full((rows, width), torch.nan).bfloat16()),
        torch.full((workspace_bytes(rows, width),), 255, dtype=torch.uint8).numpy(),
    )
    softmax_projection(
        *map(as_bfloat16s, (x, problem.weight)),
        problem.targets.numpy(),
        SHARE,
        UNIFORM,
        *map(as_floats, (row_inputs, totals, mean_weight)),
        as_bfloat16s(d_weight),
        workspace,
    )
    return totals[:known], mean_weight, d_weight
