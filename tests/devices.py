"""Where tests compute that hold on any device: always on the CPU, and on a GPU where there is one.

On the CPU they compute with the very parts that a GPU gets, so that these are tested where there is no GPU. What they
are compared with is always the plain model on the CPU in float32.
A model may also be moved to a device without numbers, where a tensor left behind is found without a GPU.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

without_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch finds no CUDA device here")
on_any_device = pytest.mark.parametrize(
    "device", [pytest.param("cpu"), pytest.param("cuda", marks=[pytest.mark.gpu, without_gpu])]
)


class Elsewhere(TorchDispatchMode):
    """While it holds, `meta` is as a GPU is: an operation on tensors of two devices fails, and what comes back is 0."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """One operation of PyTorch's."""
        given = [each for each in args if isinstance(each, Tensor)]
        given += [each for several in args if isinstance(several, list) for each in several if isinstance(each, Tensor)]
        named = dict(kwargs or {})
        if given and given[0].is_meta and str(named.get("device")) == "cpu":
            return torch.zeros(given[0].shape, dtype=named.get("dtype") or given[0].dtype)
        devices = {each.device.type for each in given if each.ndim}
        if len(devices) > 1:
            raise RuntimeError(f"{func} was given tensors on {' and '.join(sorted(devices))}")
        return func(*args, **named)
