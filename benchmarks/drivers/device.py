"""Where a PyTorch driver computes: on the CPU, or on a GPU, which works on while the program goes on."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

MIB = 1 << 20


class Device:
    """A CPU or a GPU by PyTorch's name for it: "cpu", "cuda"."""

    def __init__(self, name: str = "cpu") -> None:
        self.torch = torch.device(name)

    @classmethod
    def of(cls, setting: Mapping[str, Any]) -> "Device":
        """The device that a setting names, or the CPU."""
        return cls(setting.get("device", "cpu"))

    @property
    def is_gpu(self) -> bool:
        """Whether it has to be waited for."""
        return self.torch.type == "cuda"

    def wait(self) -> None:
        """Until all is done that was asked for; to be called before a clock is read."""
        if self.is_gpu:
            torch.cuda.synchronize(self.torch)

    def sent(self, tensor: Tensor) -> Tensor:
        """The tensor there; to a GPU by way of pinned memory, so that nobody waits for the copy."""
        return tensor.pin_memory().to(self.torch, non_blocking=True) if self.is_gpu else tensor.to(self.torch)

    def autocast(self, wanted: bool) -> AbstractContextManager[Any]:
        """Products in bfloat16, where wanted."""
        return torch.autocast(self.torch.type, torch.bfloat16) if wanted else nullcontext()

    def peaks(self) -> dict[str, float]:
        """The most memory of a GPU that PyTorch ever used and had, in MiB; nothing for a CPU."""
        if not self.is_gpu:
            return {}
        return {
            "allocated_mib": torch.cuda.max_memory_allocated(self.torch) / MIB,
            "reserved_mib": torch.cuda.max_memory_reserved(self.torch) / MIB,
        }
