"""Equation 1 of a ragged batch and its gradients in float32, against float64."""

import pytest
import torch

from polyhead.kernels.attention import float32
from tests.kernels.attention.equation1 import RAGGED, Case, assert_near


@pytest.mark.parametrize("kind", RAGGED)
def test_context(kind: str) -> None:
    case = Case(float32, kind, torch.float32)
    assert_near(case.context(), case.exact()[0], 1e-6)


@pytest.mark.parametrize("kind", RAGGED)
def test_gradients(kind: str) -> None:
    case = Case(float32, kind, torch.float32)
    case.context()
    assert_near(case.gradients(), case.exact()[1], 1e-6)
