"""PyTorch's tensors seen as NumPy's arrays, which kernels take.

PyTorch's own operations that make a view would do, but each of them gives the interpreter's lock away and waits for it.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.kernels.numbers.formats import Numbers

_KINDS = {torch.bfloat16: "<u2", torch.float32: "<f4"}


class _Memory:
    """A tensor's memory for NumPy, whose array keeps this object, and so the tensor, alive."""

    def __init__(self, x: Tensor, kind: str) -> None:
        self.tensor = x if x.is_contiguous() else x.contiguous()
        address = self.tensor.data_ptr(), False
        self.__array_interface__: dict[str, Any] = {
            "version": 3, "data": address, "shape": tuple(x.shape), "typestr": kind
        }  # fmt: skip


def as_array(x: Tensor) -> Numbers:
    """A tensor of bfloat16, seen as integers, or of float32 → an array of its memory; of a copy's where it has gaps."""
    return np.asarray(_Memory(x, _KINDS[x.dtype]))


def as_bfloat16s(x: Tensor) -> NDArray[np.uint16]:
    """A tensor of bfloat16 → an array of its memory as integers, or of a copy's where it has gaps."""
    return np.asarray(_Memory(x, "<u2"))


def as_bfloat16_pairs(x: Tensor) -> NDArray[np.uint32]:
    """A tensor of int32, each two numbers of bfloat16 → an array of its memory as unsigned integers, for kernels."""
    return np.asarray(_Memory(x, "<u4"))


def as_floats(x: Tensor) -> NDArray[np.float32]:
    """A tensor of float32 → an array of its memory, or of a copy's where it has gaps."""
    return np.asarray(_Memory(x, "<f4"))
