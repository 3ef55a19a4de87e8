"""The softmax over the vocabulary and its gradients, whose logits are products of bytes, against float64."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from polyhead.hardware import VNNI, cpu_features
from polyhead.kernels.arrays.tensors import as_bfloat16s
from polyhead.kernels.loss.softmax_int8 import softmax_projection, workspace_bytes
from polyhead.kernels.microkernels.registers import HAS_BFLOAT16_DOT, PANEL
from tests.kernels.loss.expectations import Problem
from tests.kernels.loss.in_vectors import assert_near
from tests.marks import only_checked

GUARD = 64


pytestmark = pytest.mark.skipif(
    not (HAS_BFLOAT16_DOT and VNNI & cpu_features()), reason="this CPU multiplies no bfloat16 and bytes in vectors"
)


@pytest.mark.parametrize("rows", [1, 20])
@pytest.mark.parametrize("words", [5, 100])
def test_expectations(rows: int, words: int) -> None:
    """Nothing is written behind the bytes that it works in."""
    run_on(Problem.drawn(rows, 2 * PANEL, words, torch.bfloat16))


@only_checked
def test_a_width_that_the_loops_do_not_take_is_refused() -> None:
    with pytest.raises(IndexError, match="fit each other"):
        run_on(Problem.drawn(20, 2 * PANEL, 5, torch.bfloat16), slice(-1))


def run_on(given: Problem, columns: slice = slice(None)) -> None:
    """columns: those of the features and the weight that the kernel is given."""
    weight = as_bfloat16s(given.weight[:, columns])

    def run(x: Tensor, *others: Any) -> None:
        size = workspace_bytes(len(x), x.size(1), len(weight))
        whole = np.full(size + GUARD, 255, np.uint8)
        softmax_projection(as_bfloat16s(x[:, columns]), weight, *others, whole[:size])
        assert (whole[size:] == 255).all()

    assert_near(given, run, 0.03)
