"""How kernels see tensors."""

import torch
from torch import Tensor

from polyhead.kernels.arrays.tensors import are_for_kernels, are_on_one_core, numbers
from polyhead.kernels.numbers.formats import Numbers


def like(x: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def flat(x: Tensor) -> Numbers:
    return numbers(x).reshape(-1)


def rows(x: Tensor) -> Numbers:
    """[..., D] → [N, D]."""
    return numbers(x).reshape(-1, x.size(-1))


def are_learnt_by_kernels(x: Tensor) -> bool:
    """Whether gradients are recorded, and kernels compute them."""
    return x.requires_grad and are_for_kernels(x)


def are_learnt_on_one_core(x: Tensor) -> bool:
    """Whether gradients are recorded, and kernels see them as they lie."""
    return x.requires_grad and are_on_one_core(x)
