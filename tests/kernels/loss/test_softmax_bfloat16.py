"""The softmax over the vocabulary and its gradients by products of bfloat16, against float64."""

from typing import Any

import pytest
import torch
from torch import Tensor

from polyhead.kernels.arrays.tensors import as_bfloat16_pairs, as_bfloat16s
from polyhead.kernels.loss.softmax_bfloat16 import CHUNK, GROUP, softmax_projection
from polyhead.kernels.microkernels.registers import HAS_BFLOAT16_DOT, PANEL
from polyhead.kernels.packing.pack_bfloat16 import pack_right_rows
from tests.kernels.loss.expectations import Problem
from tests.kernels.loss.in_vectors import assert_near


@pytest.mark.skipif(not HAS_BFLOAT16_DOT, reason="this CPU doesn't multiply bfloat16 in vectors")
@pytest.mark.parametrize("rows", [1, 20, CHUNK + 3])
@pytest.mark.parametrize("words", [5, 100, GROUP * PANEL + 1])
def test_expectations(rows: int, words: int) -> None:
    given = Problem.drawn(rows, PANEL, words, torch.bfloat16)
    panels = as_bfloat16_pairs(torch.empty(-(-words // PANEL), PANEL // 2, PANEL, dtype=torch.int32))
    pack_right_rows(as_bfloat16s(given.weight), panels)

    def run(x: Tensor, *others: Any) -> None:
        softmax_projection(as_bfloat16s(x), panels, *others)

    assert_near(given, run, 0.01)
