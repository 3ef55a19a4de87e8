"""Equation 1 of a ragged batch and its gradients in tiles of bfloat16, against float64."""

import pytest
import torch

from polyhead.kernels.attention import tiles
from polyhead.kernels.microkernels.tiles import is_supported
from tests.kernels.attention.equation1 import RAGGED, Case, assert_near

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
