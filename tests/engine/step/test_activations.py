"""Activations against PyTorch in float64."""

import numpy as np
import pytest
import torch

from polyhead.engine.step.activations import gate, gelu


def numbers(rows: int, size: int) -> torch.Tensor:
    """From the middle to far beyond where e^x overflows."""
    return torch.randn(rows, size, generator=torch.Generator().manual_seed(size)) * torch.logspace(-2, 2.5, size)


@pytest.mark.parametrize("size", [1, 16, 100])
def test_gelu(size: int) -> None:
    x = numbers(7, size)
    expected = torch.nn.functional.gelu(x.double())
    gelu(x.numpy())
    torch.testing.assert_close(x.double(), expected, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("size", [1, 16, 100])
def test_gate(size: int) -> None:
    x, y = numbers(7, 2 * size), np.empty((7, size), np.float32)
    gates, values = x.double().chunk(2, -1)
    gate(x.numpy(), y)
    expected = torch.nn.functional.silu(gates) * values
    torch.testing.assert_close(torch.from_numpy(y).double(), expected, atol=1e-5, rtol=1e-5)
