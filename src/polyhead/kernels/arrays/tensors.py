"""How kernels see tensors.

Operations of PyTorch that only make another view would do, but each gives the interpreter's lock away and waits for it.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.kernels.numbers.formats import Numbers

_KINDS = {torch.bfloat16: "<u2", torch.float32: "<f4"}


class _Memory:
    """A tensor's numbers for NumPy, which keeps this as long as it sees them."""

    def __init__(self, x: Tensor, kind: str) -> None:
        self.tensor = x if x.is_contiguous() else x.contiguous()
        address = self.tensor.data_ptr(), False
        self.__array_interface__: dict[str, Any] = {
            "version": 3, "data": address, "shape": tuple(x.shape), "typestr": kind
        }  # fmt: skip


def as_array(x: Tensor) -> Numbers:
    """A tensor → its memory, of bfloat16 as integers, or of float32; or a copy's where it has gaps."""
    return np.asarray(_Memory(x, _KINDS[x.dtype]))


def as_bfloat16s(x: Tensor) -> NDArray[np.uint16]:
    """A tensor of bfloat16 → its memory as integers, or a copy's where it has gaps."""
    return np.asarray(_Memory(x, "<u2"))


def as_bfloat16_pairs(x: Tensor) -> NDArray[np.uint32]:
    """Two numbers of bfloat16 each seen as an int32 → the same for a kernel."""
    return np.asarray(_Memory(x, "<u4"))


def as_floats(x: Tensor) -> NDArray[np.float32]:
    """A tensor of float32 → its memory, or a copy's where it has gaps."""
    return np.asarray(_Memory(x, "<f4"))
