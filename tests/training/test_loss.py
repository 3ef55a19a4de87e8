"""The fused loss against PyTorch's cross-entropy of the stored logits."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from polyhead.hardware import cpu_features
from polyhead.training import softmax_projection as module
from polyhead.training.fused.softmax_projection import projection_by_kernels
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.precision import Arithmetic
from polyhead.training.softmax_projection import SoftmaxProjection, softmax_projection

Problem = tuple[Tensor, Tensor, Tensor]
Result = tuple[Tensor, ...]
"""The loss, the likelihood, and the gradients of features and weight."""


def draw_problem(rows: int, vocabulary: int, d_model: int, spread: float = 1.0) -> Problem:
    """features [N, D] and weight [V, D] of the size that a trained model's are, targets [N]."""
    features = torch.randn(rows, d_model)
    weight = torch.randn(vocabulary, d_model) * spread / d_model**0.5
    return features, weight, torch.randint(vocabulary, (rows,))


def ours(
    problem: Problem, smoothing: float, scale: float = 1.0, projection: SoftmaxProjection = softmax_projection
) -> Result:
    *inputs, targets = problem
    features, weight = (x.clone().requires_grad_() for x in inputs)
    loss, likelihood = label_smoothed_loss(features, weight, targets, smoothing, projection)
    (loss * scale).backward()
    return loss.detach(), likelihood.detach(), *gradients(features, weight)


def reference(problem: Problem, smoothing: float, scale: float = 1.0) -> Result:
    """In float64, from all logits at once."""
    *inputs, targets = problem
    features, weight = (x.double().requires_grad_() for x in inputs)
    logits = nn.functional.linear(features, weight)
    loss = nn.functional.cross_entropy(logits, targets, label_smoothing=smoothing, reduction="sum")
    (loss * scale).backward()
    likelihood = nn.functional.cross_entropy(logits, targets, reduction="sum")
    return loss.detach(), likelihood.detach(), *gradients(features, weight)


def gradients(*leaves: Tensor) -> list[Tensor]:
    return [leaf.grad for leaf in leaves if leaf.grad is not None]


def assert_close(found: Result, expected: Result, tolerance: float) -> None:
    """Each within `tolerance` of the largest element."""
    assert len(found) == len(expected) >= 4
    for actual, wanted in zip(found, expected, strict=True):
        size = max(1.0, float(wanted.abs().amax()))
        torch.testing.assert_close(actual.double(), wanted, atol=tolerance * size, rtol=0)


@given(
    rows=st.integers(1, 40),
    vocabulary=st.integers(1, 50),
    d_model=st.integers(1, 20),
    smoothing=st.sampled_from([0.0, 0.1, 0.5, 0.99]),
    chunk=st.integers(1, 45),
    spread=st.sampled_from([0.1, 1.0, 8.0]),
    scale=st.sampled_from([1.0, 0.25]),
)
def test_equals_cross_entropy_values_and_gradients(
    rows: int, vocabulary: int, d_model: int, smoothing: float, chunk: int, spread: float, scale: float
) -> None:
    problem = draw_problem(rows, vocabulary, d_model, spread)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK_ROWS", chunk)
        found = ours(problem, smoothing, scale)
    assert_close(found, reference(problem, smoothing, scale), 1e-5)


def test_the_chunk_size_in_use_needs_no_whole_chunks() -> None:
    for rows in (
        module.CHUNK_ROWS - 1,
        module.CHUNK_ROWS,
        2 * module.CHUNK_ROWS + 3,
    ):
        problem = draw_problem(rows, 30, 8)
        assert_close(ours(problem, 0.1), reference(problem, 0.1), 1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("vocabulary", [50, 2000])
@pytest.mark.parametrize(
    "projection",
    [
        softmax_projection,
        pytest.param(
            partial(projection_by_kernels, Arithmetic(torch.bfloat16)),
            marks=pytest.mark.skipif("avx512_bf16" not in cpu_features(), reason="the CPU has no such products"),
        ),
    ],
    ids=["operations", "kernels"],
)
def test_bfloat16_is_near_the_exact_value(vocabulary: int, smoothing: float, projection: SoftmaxProjection) -> None:
    """Loss within half a percent; each gradient within two percent of it (Euclidean norm), the dtypes kept."""
    features, weight, targets = draw_problem(300, vocabulary, 32)
    problem = features.bfloat16(), weight.bfloat16(), targets
    found, expected = ours(problem, smoothing, projection=projection), reference(problem, smoothing)
    assert [x.dtype for x in found] == [torch.float32] * 2 + [torch.bfloat16] * 2
    assert float(found[0]) == pytest.approx(float(expected[0]), rel=5e-3)
    assert float(found[1]) == pytest.approx(float(expected[1]), rel=5e-3)
    for actual, wanted in zip(found[2:], expected[2:], strict=True):
        assert float((actual.double() - wanted).norm() / wanted.norm()) < 0.02


def test_guessing_evenly_costs_log_v() -> None:
    loss, likelihood = label_smoothed_loss(torch.zeros(7, 4), torch.randn(50, 4), torch.arange(7), 0.1)
    assert float(loss) == pytest.approx(7 * math.log(50), rel=1e-5)
    assert float(likelihood) == pytest.approx(7 * math.log(50), rel=1e-5)


def test_very_sure_and_very_wrong_stay_finite() -> None:
    features, weight = torch.eye(4) * 1e4, torch.eye(4)
    loss, likelihood, d_features, d_weight = ours((features, weight, torch.tensor([1, 2, 3, 0])), 0.1)
    assert float(likelihood) == pytest.approx(4e4)
    assert all(x.isfinite().all() for x in (loss, d_features, d_weight))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_no_rows_cost_nothing(dtype: torch.dtype) -> None:
    features, weight = torch.zeros(0, 4, dtype=dtype), torch.randn(9, 4).to(dtype)
    loss, likelihood, d_features, d_weight = ours((features, weight, torch.zeros(0, dtype=torch.int64)), 0.1)
    assert (float(loss), float(likelihood)) == (0.0, 0.0)
    assert d_features.shape == (0, 4)
    assert (d_weight == 0).all()
