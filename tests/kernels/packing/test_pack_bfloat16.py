"""Packed matrices against PyTorch's views."""

import pytest
import torch
from torch import nn

from polyhead.kernels.arrays.tensors import as_bfloat16_pairs, as_bfloat16s, as_floats
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.packing.pack_bfloat16 import pack_right_columns, pack_right_rows, unpack

SIZES = [1, PANEL - 1, PANEL, 2 * PANEL + 5]


@pytest.mark.parametrize("words", SIZES)
@pytest.mark.parametrize("width", SIZES)
def test_packed_in_both_orders_with_zeros_behind(words: int, width: int) -> None:
    weight = torch.randn(words, width).bfloat16()
    filled = nn.functional.pad(weight, (0, -width % PANEL, 0, -words % PANEL))
    count, size = filled.size(0) // PANEL, filled.size(1)
    panels = torch.full((count, size // 2, PANEL), -1, dtype=torch.int32)
    across = torch.full((size // PANEL, filled.size(0) // 2, PANEL), -1, dtype=torch.int32)
    pack_right_rows(as_bfloat16s(weight), as_bfloat16_pairs(panels))
    pack_right_columns(as_bfloat16s(weight), as_bfloat16_pairs(across))
    assert torch.equal(panels, filled.view(torch.int32).view(count, PANEL, -1).transpose(1, 2))
    together = filled.view(-1, 2, size // PANEL, PANEL).permute(2, 0, 3, 1).contiguous()
    assert torch.equal(across, together.view(torch.int32).squeeze(-1))


@pytest.mark.parametrize("words", SIZES)
def test_unpacked_less_a_row(words: int) -> None:
    sums, less = torch.randn(-(-words // PANEL), 9, PANEL), torch.randn(7)
    out = torch.empty(words, 7).bfloat16()
    unpack(as_floats(sums), as_floats(less), as_bfloat16s(out))
    expected = sums.transpose(1, 2).flatten(0, 1)[:words, :7] - less
    torch.testing.assert_close(out, expected.bfloat16(), atol=1e-2, rtol=1e-2)
