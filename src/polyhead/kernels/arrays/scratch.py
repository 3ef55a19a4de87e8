"""Memory that a thread's kernels write to again and again.

A large array that is asked for anew comes without its pages: the system brings and clears each one when it is first
written, which may take as long as the kernel does. Kept memory is in the caches, too, where the last call left it.
"""

import threading
from math import prod

import torch
from torch import Tensor


class Scratch(threading.local):
    """Workspaces by name, of which every thread has its own."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, torch.dtype], Tensor] = {}

    def get(self, name: str, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """A tensor of unknown numbers that begins at a cache line; valid until the thread asks for this name again."""
        size, key = prod(shape), (name, dtype)
        kept = self._kept.get(key)
        if kept is None or kept.numel() < size:
            self._kept.pop(key, None)  # given back first
            kept = self._kept[key] = torch.empty(size, dtype=dtype)
        return torch.as_strided(kept, shape, [prod(shape[place + 1 :]) for place in range(len(shape))])
