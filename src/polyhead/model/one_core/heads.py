"""Heads taken apart and put together.

Shapes: B batch, H heads, T positions, d numbers of a head.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from polyhead.kernels import rearrange
from polyhead.kernels.tensors import halves


def heads_apart(x: Tensor, parts: int, heads: int) -> tuple[Tensor, ...]:
    """[B, T, parts·H·d] → `parts` tensors [B, H, T, d]."""
    return _HeadsApart.apply(x, parts, heads)


def heads_together(x: Tensor) -> Tensor:
    """[B, H, T, d] → [B, T, H·d]."""
    return _HeadsTogether.apply(x)


class _HeadsApart(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, parts: int, heads: int) -> tuple[Tensor, ...]:
        return _apart(x, parts, heads)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return _together(gradients), None, None


class _HeadsTogether(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.heads = x.size(1)
        return _together([x])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return _apart(gradients[0], 1, ctx.heads)[0]


def _apart(x: Tensor, parts: int, heads: int) -> tuple[Tensor, ...]:
    """[B, T, parts·H·d] → `parts` tensors [B, H, T, d]."""
    batch, positions, width = x.shape
    found = x.new_empty(parts, batch, heads, positions, width // parts // heads).unbind()
    for part, each in enumerate(found):
        rearrange.apart(halves(x), part * width // parts, halves(each))
    return found


def _together(parts: Sequence[Tensor]) -> Tensor:
    """Tensors [B, H, T, d] → one [B, T, parts·H·d]."""
    batch, heads, positions, size = parts[0].shape
    out = parts[0].new_empty(batch, positions, len(parts) * heads * size)
    for part, each in enumerate(parts):
        rearrange.together(halves(each), part * heads * size, halves(out))
    return out
