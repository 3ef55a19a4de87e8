"""Splits what a projection gave into heads, as views. Gradients that lie in memory as these views do are not moved.

Shapes: B batch, H heads, T positions, d numbers of a head. Rows without padding have no B.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


def split_heads(x: Tensor, parts: int, heads: int) -> tuple[Tensor, ...]:
    """[B, T, parts·H·d] → `parts` views [B, H, T, d]."""
    return _SplitHeads.apply(x, parts, heads)


def split_views(x: Tensor, parts: int, heads: int) -> tuple[Tensor, ...]:
    """[B, T, parts·H·d] → `parts` views [B, H, T, d], without the gradient of `split_heads`."""
    return x.unflatten(-1, (parts, heads, -1)).transpose(-4, -2).unbind(-3)


def joined_memory(parts: Sequence[Tensor]) -> Tensor | None:
    """The tensor [B, T, parts·H·d] whose `split_views` the parts are, or None where they are something else."""
    first = parts[0]
    *batch, heads, positions, numbers = first.shape
    width = len(parts) * heads * numbers
    strides, step = (positions * width, numbers, width, 1), heads * numbers * first.element_size()
    for place, part in enumerate(parts):
        begins = first.data_ptr() + place * step
        if part.shape != first.shape or part.stride() != strides[-part.dim() :] or part.data_ptr() != begins:
            return None
    return torch.as_strided(first, (*batch, positions, width), (positions * width, width, 1)[-first.dim() + 1 :])


class _SplitHeads(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, parts: int, heads: int) -> tuple[Tensor, ...]:
        return split_views(x, parts, heads)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        gradient = joined_memory(gradients)
        if gradient is None:
            gradient = torch.stack([each.transpose(-3, -2) for each in gradients], -3).flatten(-3)
        return gradient, None, None
