"""Equation 1 of a ragged batch and its gradients in tiles of bfloat16, against float64."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from polyhead.kernels.attention import tiles
from polyhead.kernels.microkernels.tiles import is_supported
from tests.kernels.attention.equation1 import RAGGED, SIZE, Case, assert_near
from tests.marks import only_checked

pytestmark = pytest.mark.skipif(not is_supported(), reason="this CPU adds up no pairs of bfloat16")


@pytest.mark.parametrize("kind", RAGGED)
def test_context(kind: str) -> None:
    case = Case(tiles, kind, torch.bfloat16)
    assert_near(case.context(), case.exact()[0], 0.01)


@pytest.mark.parametrize("kind", RAGGED)
def test_gradients(kind: str) -> None:
    case = Case(tiles, kind, torch.bfloat16)
    case.context()
    assert_near(case.gradients(), case.exact()[1], 0.01)


@only_checked
@pytest.mark.parametrize("found", [Case.context, Case.gradients])
def test_heads_of_a_size_that_the_loops_do_not_take_are_refused(found: Callable[[Case], list[Tensor]]) -> None:
    with pytest.raises(IndexError, match="fit each other"):
        found(Case(tiles, "self", torch.bfloat16, SIZE + 1))
