"""PyTorch's kernel for GPUs computes equation 1; on a CPU it is the same function."""

import pytest
import torch
from torch import Tensor

from polyhead.model.attention import ScaledDotProductAttention
from polyhead.training.fused.gpu import GPUAttention
from polyhead.training.precision import Arithmetic


def made(rate: float = 0.0) -> GPUAttention:
    return GPUAttention(ScaledDotProductAttention(rate), Arithmetic())


@pytest.mark.parametrize("share", [None, 0.0, 0.3, 0.8, 1.1])
@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 6, 7), (3, 1, 2, 5)])
def test_values_and_gradients_are_equation_1s(shape: tuple[int, int, int, int], share: float | None) -> None:
    """Rows that see nothing included; no NaN in either direction."""
    batch, heads, queries, keys = shape
    leaves = [torch.randn(batch, heads, length, 8) for length in (queries, keys, keys)]
    mask = None if share is None else torch.rand(batch, 1, queries, keys) < share
    results: list[tuple[Tensor, ...]] = []
    for core in (ScaledDotProductAttention(), made()):
        parts = [leaf.clone().requires_grad_() for leaf in leaves]
        context = core(*parts, mask)
        context.square().sum().backward()
        results.append((context.detach(), *(part.grad for part in parts if part.grad is not None)))
    assert all(x.isfinite().all() for result in results for x in result)
    torch.testing.assert_close(results[1], results[0], atol=1e-4, rtol=1e-4)


def test_dropout_of_weights_keeps_the_mean_and_is_off_in_evaluation() -> None:
    query, key, value = torch.randn(1, 1, 2000, 4), torch.randn(1, 1, 5, 4), torch.randn(1, 1, 5, 3)
    module, expected = made(0.5), ScaledDotProductAttention()(query, key, value)
    noisy = module(query, key, value)
    assert not torch.allclose(noisy, expected, atol=1e-3)
    torch.testing.assert_close(noisy.mean((0, 1, 2)), expected.mean((0, 1, 2)), atol=0.05, rtol=0)
    torch.testing.assert_close(module.eval()(query, key, value), expected, atol=1e-5, rtol=1e-5)
