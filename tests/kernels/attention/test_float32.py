"""Equation 1 of a ragged batch and its gradients in float32, against float64."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from polyhead.kernels.attention import float32
from tests.kernels.attention.equation1 import RAGGED, SIZE, Case, assert_near
from tests.marks import only_checked


@pytest.mark.parametrize("kind", RAGGED)
def test_context(kind: str) -> None:
    case = Case(float32, kind, torch.float32)
    assert_near(case.context(), case.exact()[0], 1e-6)


@pytest.mark.parametrize("kind", RAGGED)
def test_gradients(kind: str) -> None:
    case = Case(float32, kind, torch.float32)
    case.context()
    assert_near(case.gradients(), case.exact()[1], 1e-6)


@only_checked
@pytest.mark.parametrize("found", [Case.context, Case.gradients])
def test_heads_of_a_size_that_the_loops_do_not_take_are_refused(found: Callable[[Case], list[Tensor]]) -> None:
    with pytest.raises(IndexError, match="fit each other"):
        found(Case(float32, "self", torch.float32, SIZE + 1))
