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
from tests.marks import only_checked

pytestmark = pytest.mark.skipif(not HAS_BFLOAT16_DOT, reason="this CPU doesn't multiply bfloat16 in vectors")


@pytest.mark.parametrize("rows", [1, 20, CHUNK + 3])
@pytest.mark.parametrize("words", [5, 100, GROUP * PANEL + 1])
def test_expectations(rows: int, words: int) -> None:
    run_on(Problem.drawn(rows, PANEL, words, torch.bfloat16))


@only_checked
@pytest.mark.parametrize("part", [(slice(-1), slice(None)), (slice(None), slice(-1))], ids=["rows", "width"])
def test_sizes_that_the_loops_do_not_take_are_refused(part: tuple[slice, slice]) -> None:
    with pytest.raises(IndexError, match="fit each other"):
        run_on(Problem.drawn(20, PANEL, 100, torch.bfloat16), part)


def run_on(given: Problem, part: tuple[slice, slice] = (slice(None), slice(None))) -> None:
    """part: the part of the features, filled up with rows of zeros, that the kernel is given."""
    words = len(given.weight)
    panels = as_bfloat16_pairs(torch.empty(-(-words // PANEL), PANEL // 2, PANEL, dtype=torch.int32))
    pack_right_rows(as_bfloat16s(given.weight), panels)

    def run(x: Tensor, *others: Any) -> None:
        softmax_projection(as_bfloat16s(x[part]), panels, *others)

    assert_near(given, run, 0.01)
