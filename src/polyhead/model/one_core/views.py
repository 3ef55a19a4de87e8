"""How kernels see tensors of bfloat16."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.kernels.tensors import are_for_kernels, halves


def like(x: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def flat(x: Tensor) -> NDArray[np.uint16]:
    return halves(x).reshape(-1)


def rows(x: Tensor) -> NDArray[np.uint16]:
    """[..., D] → [N, D]."""
    return halves(x).reshape(-1, x.size(-1))


def are_learnt_by_kernels(x: Tensor) -> bool:
    """Whether gradients are recorded, and kernels compute them."""
    return x.requires_grad and are_for_kernels(x)
