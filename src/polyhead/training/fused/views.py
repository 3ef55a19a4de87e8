"""How kernels see tensors."""

import torch
from torch import Tensor

from polyhead.kernels.arrays.tensors import numbers
from polyhead.kernels.numbers.formats import Numbers


def like(x: Tensor) -> Tensor:
    """Room for a tensor of the same shape."""
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def flat(x: Tensor) -> Numbers:
    """[...] → [N]."""
    return numbers(x).reshape(-1)


def rows(x: Tensor) -> Numbers:
    """[..., D] → [N, D]."""
    return numbers(x).reshape(-1, x.size(-1))
