"""The softmax over the vocabulary and its gradients in float32, against float64."""

import pytest
import torch
from torch import Tensor

from polyhead.kernels.arrays.tensors import as_floats
from polyhead.kernels.loss.softmax_float32 import CHUNK, Float32Workspace, shapes, softmax_projection
from polyhead.kernels.microkernels.simd import WIDTH
from tests.kernels.loss.expectations import SHARE, Problem
from tests.marks import only_checked

UNIFORM = 1e-3


@pytest.mark.parametrize("rows", [1, 20, CHUNK + 3])
@pytest.mark.parametrize("words", [5, 100])
def test_expectations(rows: int, words: int) -> None:
    """Nothing that is worked in is a number before."""
    given = Problem.drawn(rows, 2 * WIDTH, words, torch.float32)
    given.assert_near(*expectations(given), 1e-5, UNIFORM)


@only_checked
def test_a_width_that_the_loops_do_not_take_is_refused() -> None:
    with pytest.raises(IndexError, match="fit each other"):
        expectations(Problem.drawn(20, 2 * WIDTH + 1, 5, torch.float32))


def expectations(given: Problem) -> tuple[Tensor, Tensor, Tensor]:
    x, weight, targets, shifts = given
    workspace = [as_floats(torch.full(shape, torch.nan)) for shape in shapes(len(weight), x.size(1)).values()]
    totals, mean_weight, d_weight = torch.empty(len(x)), torch.empty_like(x), torch.empty_like(weight)
    softmax_projection(
        *map(as_floats, (x, weight)),
        targets.numpy(),
        SHARE,
        UNIFORM,
        *map(as_floats, (shifts, totals, mean_weight, d_weight)),
        Float32Workspace(*workspace),
    )
    return totals, mean_weight, d_weight
