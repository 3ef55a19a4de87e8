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

GUARD = 64


@pytest.mark.skipif(
    not (HAS_BFLOAT16_DOT and VNNI & cpu_features()), reason="this CPU multiplies no bfloat16 and bytes in vectors"
)
@pytest.mark.parametrize("rows", [1, 20])
@pytest.mark.parametrize("words", [5, 100])
def test_expectations(rows: int, words: int) -> None:
    """Nothing is written behind the bytes that it works in."""
    given = Problem.drawn(rows, 2 * PANEL, words, torch.bfloat16)
    weight = as_bfloat16s(given.weight)

    def run(x: Tensor, *others: Any) -> None:
        size = workspace_bytes(len(x), x.size(1), words)
        whole = np.full(size + GUARD, 255, np.uint8)
        softmax_projection(as_bfloat16s(x), weight, *others, whole[:size])
        assert (whole[size:] == 255).all()

    assert_near(given, run, 0.03)
