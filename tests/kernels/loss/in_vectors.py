"""What the two softmaxes by products of bfloat16 in vectors have in common: what they are given, and give."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from polyhead.kernels.arrays.tensors import as_bfloat16_pairs, as_bfloat16s, as_floats
from polyhead.kernels.loss.softmax_bfloat16 import BFloat16Workspace, Pairs, SoftmaxInputs, SoftmaxOutputs, shapes
from polyhead.kernels.microkernels.registers import MR, PANEL
from polyhead.kernels.packing.pack_bfloat16 import pack_right_columns
from tests.kernels.loss.expectations import SHARE, Problem

Run = Callable[[Tensor, Pairs, SoftmaxInputs, SoftmaxOutputs, BFloat16Workspace], None]
"""(features with rows of zeros behind them, a weight packed by columns, …) computes the outputs."""


def assert_near(given: Problem, run: Run, near: float) -> None:
    """Nothing that is worked in is a number before; D is a multiple of PANEL."""
    (rows, width), words = given.features.shape, len(given.weight)
    x, shifts = (nn.functional.pad(each.t(), (0, -rows % MR)).t().contiguous() for each in (given.features, given[3]))
    panels, depth = -(-words // PANEL), width + -width % MR
    across = as_bfloat16_pairs(torch.full((width // PANEL, panels * PANEL // 2, PANEL), -1, dtype=torch.int32))
    pack_right_columns(as_bfloat16s(given.weight), across)
    pairs, of_rows, transposed = (torch.full(shape, -1, dtype=torch.int32) for shape in shapes(panels, depth))
    workspace = BFloat16Workspace(
        as_bfloat16_pairs(pairs), as_bfloat16s(of_rows.short()), as_bfloat16s(transposed.short())
    )
    totals, mean_weight, found = torch.empty(len(x)), torch.zeros(x.shape), torch.zeros(panels, depth, PANEL)
    inputs = SoftmaxInputs(words, given.targets.numpy(), SHARE, as_floats(shifts))
    run(x, across, inputs, SoftmaxOutputs(*map(as_floats, (totals, mean_weight, found))), workspace)
    d_weight = found.transpose(1, 2).flatten(0, 1)
    assert not d_weight[words:, :width].any()
    given.assert_near(totals[:rows], mean_weight[:rows], d_weight[:words, :width], near, 0.0)
