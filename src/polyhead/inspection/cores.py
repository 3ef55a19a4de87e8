"""Attention cores that wrap another and change one thing.

Each takes (query [B, H, T, d_k], key and value [B, H, S, d_k], mask, True where a query may see a key) and gives the
heads' contexts [B, H, T, d_v], as the cores of `model/attention.py` do.
"""

import math

import torch
from torch import Tensor, nn

from polyhead.model.recording import Listener, Noting


class Around(nn.Module):
    """A core that changes what goes into another or comes out of it, not its formula. `Noting` belongs inside it."""

    def __init__(self, core: nn.Module) -> None:
        super().__init__()
        self.core = core


class Muted(Around):
    """A core that sets the contexts of some heads to 0."""

    def __init__(self, core: nn.Module, heads: tuple[int, ...]) -> None:
        super().__init__(core)
        self.heads = heads

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        context: Tensor = self.core(query, key, value, mask)
        return context.index_fill(1, torch.tensor(self.heads, device=context.device), 0.0)


class Unscaled(nn.Module):
    """softmax(QKᵀ)V: equation 1 without its division by √d_k."""

    def __init__(self, core: nn.Module) -> None:
        super().__init__()
        self.core = core

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.core(query * math.sqrt(query.size(-1)), key, value, mask)


class Foreseeing(Around):
    """A core in which every query sees every key. A step of decoding, which has no mask, stays as it is."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.core(query, key, value, None if mask is None else torch.ones_like(mask))


def note(attention: nn.Module, listener: Listener) -> None:
    """Puts a `Noting` around the core of `attention` that holds the formula, inside of every `Around`."""
    outer, core = attention, attention.get_submodule("core")
    while isinstance(core, Around):
        outer, core = core, core.core
    outer.core = Noting(core, listener)
