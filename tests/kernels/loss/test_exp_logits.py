"""Exponentials as they leave the registers: two copies of them, both rounded to bfloat16 as everywhere."""

import numpy as np
import pytest
import torch

from polyhead.kernels.arrays.tensors import as_bfloat16_pairs, as_bfloat16s, as_floats
from polyhead.kernels.loss import softmax_bfloat16 as kernels
from polyhead.kernels.microkernels.registers import HAS_BFLOAT16_DOT, MR, PANEL

ROWS = 4 * MR


@pytest.mark.skipif(not HAS_BFLOAT16_DOT, reason="this CPU doesn't multiply bfloat16 in vectors")
def test_exponentials_too_small_for_an_instruction_are_no_zeros() -> None:
    """All logits are 0; the last rows' exponentials are below 2⁻¹²⁶."""
    shifts = torch.linspace(0, 91, ROWS)
    exponentials = torch.exp(-shifts).bfloat16()[:, None].expand(ROWS, PANEL)
    assert float(exponentials.min()) < 2.0**-126
    of_pairs, of_rows, transposed = kernels.shapes(1, PANEL + -PANEL % MR)
    kept = torch.zeros(of_pairs, dtype=torch.int32)
    rows, x = torch.zeros(of_rows).bfloat16(), torch.zeros(ROWS, PANEL).bfloat16()
    panels, across = (torch.zeros(1, PANEL // 2, PANEL, dtype=torch.int32) for _ in range(2))
    found = kernels.SoftmaxOutputs(
        *map(as_floats, (torch.zeros(ROWS), torch.zeros(ROWS, PANEL), torch.zeros(1, transposed[0], PANEL)))
    )
    kernels.softmax_projection(
        as_bfloat16s(x),
        as_bfloat16_pairs(panels),
        as_bfloat16_pairs(across),
        kernels.SoftmaxInputs(PANEL, np.zeros(0, np.int64), 1.0, as_floats(shifts)),
        found,
        kernels.BFloat16Workspace(
            as_bfloat16_pairs(kept), as_bfloat16s(rows), as_bfloat16s(torch.zeros(transposed).bfloat16())
        ),
    )
    beside = kept[0, : ROWS // 2].view(torch.bfloat16).view(-1, PANEL, 2).transpose(1, 2).reshape(ROWS, PANEL)
    assert torch.equal(beside, rows[:ROWS, :PANEL])
    assert (beside.view(torch.int16) - exponentials.view(torch.int16)).abs().max() <= 1, "one unit of the last place"
