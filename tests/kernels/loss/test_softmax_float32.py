"""The softmax over the vocabulary and its gradients in float32, against float64."""

import pytest
import torch

from polyhead.kernels.arrays.tensors import as_floats
from polyhead.kernels.loss.softmax_float32 import CHUNK, Float32Workspace, shapes, softmax_projection
from polyhead.kernels.microkernels.simd import WIDTH
from tests.kernels.loss.expectations import SHARE, Problem

UNIFORM = 1e-3


@pytest.mark.parametrize("rows", [1, 20, CHUNK + 3])
@pytest.mark.parametrize("words", [5, 100])
def test_expectations(rows: int, words: int) -> None:
    """Nothing that is worked in is a number before."""
    given = Problem.drawn(rows, 2 * WIDTH, words, torch.float32)
    x, weight, targets, shifts = given
    workspace = [as_floats(torch.full(shape, torch.nan)) for shape in shapes(words, x.size(1)).values()]
    totals, mean_weight, d_weight = torch.empty(rows), torch.empty_like(x), torch.empty_like(weight)
    softmax_projection(
        *map(as_floats, (x, weight)),
        targets.numpy(),
        SHARE,
        UNIFORM,
        *map(as_floats, (shifts, totals, mean_weight, d_weight)),
        Float32Workspace(*workspace),
    )
    given.assert_near(totals, mean_weight, d_weight, 1e-5, UNIFORM)
