"""Which tensors kernels are for, and how they see them."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def are_for_kernels(x: Tensor) -> bool:
    """bfloat16 on a CPU, where an operation takes one core: PyTorch's operations may take more, and then are faster."""
    return x.dtype == torch.bfloat16 and x.device.type == "cpu" and torch.get_num_threads() == 1


def halves(x: Tensor) -> NDArray[np.uint16]:
    """A tensor of bfloat16 → its memory as integers, or a copy's where it has gaps."""
    return x.detach().contiguous().view(torch.int16).numpy().view(np.uint16)


def pairs(x: Tensor) -> NDArray[np.uint32]:
    """Two numbers of bfloat16 each seen as an int32 → the same for a kernel."""
    return x.detach().contiguous().numpy().view(np.uint32)
