"""How kernels see tensors."""

import torch
from torch import Tensor

from polyhead.kernels.arrays.tensors import as_array
from polyhead.kernels.numbers.formats import Numbers


def empty_like(x: Tensor) -> Tensor:
    """A tensor of the same shape, with any numbers in it."""
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def flat(x: Tensor) -> Numbers:
    """A tensor [...] as an array [N]."""
    return as_array(x).reshape(-1)


def rows(x: Tensor) -> Numbers:
    """A tensor [..., D] as an array [N, D]."""
    return as_array(x).reshape(-1, x.size(-1))
