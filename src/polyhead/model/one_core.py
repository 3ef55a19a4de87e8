"""What training does to every number between the products, in bfloat16 on one core: each in one pass over the memory.

Forward and backward are kernels. Operations of PyTorch would take a pass for every step and keep what lies between.
Shapes: B batch, H heads, T queries, S keys, D the last dimension.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.kernels import dropout as dropout_kernels
from polyhead.kernels import norm as norm_kernels
from polyhead.kernels import rearrange
from polyhead.kernels import softmax as softmax_kernels
from polyhead.kernels.tensors import halves


class DropoutMask(NamedTuple):
    """Which elements stay, by their places alone."""

    seed: np.uint32
    other_seed: np.uint32
    dropped: np.uint32
    """What part of 2³²."""
    scale: np.float32
    """Of what stays."""

    @classmethod
    def of(cls, rate: float, drawn: int) -> "DropoutMask":
        """drawn: 63 random bits; rate: of what is dropped, below 1."""
        dropped = dropout_kernels.part_dropped(rate)
        return cls(np.uint32(drawn >> 32), np.uint32(drawn % 2**32), np.uint32(dropped), np.float32(1 / (1 - rate)))


def dropout(x: Tensor, mask: DropoutMask) -> Tensor:
    """scale · x where an element stays, else 0: any shape."""
    return _Dropout.apply(x, mask)


def add_dropout(residual: Tensor, x: Tensor, mask: DropoutMask) -> Tensor:
    """residual + dropout(x): any shape."""
    return _AddDropout.apply(residual, x, mask)


def layer_norm(x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    """LayerNorm in float32: x [..., D], gain and bias [D] float32 → [..., D]."""
    return _LayerNorm.apply(x, gain, bias, epsilon)


def softmax(products: Tensor, scale: float, mask: Tensor | None) -> Tensor:
    """The softmax of scale · products [B, H, T, S] in float32, over the keys that the mask shows; of none, zeros."""
    return _Softmax.apply(products, scale, mask)


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """Equation 1: query [B, H, T, d], key and value [B, H, S, d] → context [B, H, T, d]; `softmax` says how."""
    return _Attention.apply(query, key, value, mask)


def heads_apart(x: Tensor, parts: int, heads: int) -> tuple[Tensor, ...]:
    """[B, T, parts·H·d] → `parts` tensors [B, H, T, d]."""
    return _HeadsApart.apply(x, parts, heads)


def heads_together(x: Tensor) -> Tensor:
    """[B, H, T, d] → [B, T, H·d]."""
    return _HeadsTogether.apply(x)


class _Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: DropoutMask) -> Tensor:
        ctx.mask = mask
        return _dropped(x, mask)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return _dropped(gradients[0], ctx.mask), None


class _AddDropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, residual: Tensor, x: Tensor, mask: DropoutMask) -> Tensor:
        ctx.mask, out = mask, _like(x)
        dropout_kernels.add_dropped(_flat(residual), _flat(x), *mask, _flat(out))
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        return gradients[0], _dropped(gradients[0], ctx.mask), None


class _LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
        x, gain, out = x.detach().contiguous(), gain.detach(), _like(x)
        means, inverses = torch.empty(2, x.numel() // gain.size(0))
        moments = means.numpy(), inverses.numpy()
        norm_kernels.normalise(_rows(x), gain.numpy(), bias.detach().numpy(), epsilon, _rows(out), *moments)
        ctx.save_for_backward(x, means, inverses, gain)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        x, means, inverses, gain = ctx.saved_tensors
        d_x, (d_gain, d_bias) = _like(x), torch.zeros(2, gain.size(0))
        saved = means.numpy(), inverses.numpy(), gain.numpy()
        sums = d_gain.numpy(), d_bias.numpy()
        norm_kernels.differentiate(_rows(gradients[0]), _rows(x), *saved, _rows(d_x), *sums)
        return d_x, d_gain, d_bias, None


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, products: Tensor, scale: float, mask: Tensor | None) -> Tensor:
        weights = _like(products)
        softmax_kernels.softmax(halves(products), scale, _shown(mask, products.size(-1)), halves(weights))
        ctx.scale = scale
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (weights,) = ctx.saved_tensors
        d_products = _like(weights)
        softmax_kernels.differentiate(_rows(gradients[0]), _rows(weights), ctx.scale, _rows(d_products))
        return d_products, None, None


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        scale, shown = 1 / math.sqrt(query.size(-1)), _shown(mask, key.size(-2))
        query, key, value = query.detach(), key.detach(), value.detach()
        weights = (query @ key.transpose(-2, -1)).contiguous()
        softmax_kernels.softmax(halves(weights), scale, shown, halves(weights))
        ctx.scale = scale
        ctx.save_for_backward(query, key, value, weights)
        return weights @ value

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        query, key, value, weights = ctx.saved_tensors
        d_context = gradients[0].contiguous()
        d_value = weights.transpose(-2, -1) @ d_context
        d_scores = (d_context @ value.transpose(-2, -1)).contiguous()
        softmax_kernels.differentiate(_rows(d_scores), _rows(weights), ctx.scale, _rows(d_scores))
        return d_scores @ key, d_scores.transpose(-2, -1) @ query, d_value, None


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


def _shown(mask: Tensor | None, keys: int) -> NDArray[np.bool_]:
    """Four dimensions of the mask, the last one whole."""
    shown = torch.ones(1, dtype=torch.bool) if mask is None else mask
    shown = shown[(None,) * (4 - shown.dim())]
    return shown.expand(*shown.shape[:3], keys).contiguous().numpy()


def _dropped(x: Tensor, mask: DropoutMask) -> Tensor:
    out = _like(x)
    dropout_kernels.drop(_flat(x), *mask, _flat(out))
    return out


def _like(x: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _flat(x: Tensor) -> NDArray[np.uint16]:
    return halves(x).reshape(-1)


def _rows(x: Tensor) -> NDArray[np.uint16]:
    """[..., D] → [N, D]."""
    return halves(x).reshape(-1, x.size(-1))
