"""What training does to every number between the products, in bfloat16 on one core: each in one pass over the memory.

Forward and backward are kernels. Operations of PyTorch would take a pass for every step and keep what lies between.
Shapes: B batch, H heads, T queries, S keys, D the last dimension.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.kernels import dropout as dropout_kernels
from polyhead.kernels import norm as norm_kernels
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
        shown = torch.ones(1, dtype=torch.bool) if mask is None else mask
        shown = shown[(None,) * (4 - shown.dim())]
        shown = shown.expand(*shown.shape[:3], products.size(-1)).contiguous()
        softmax_kernels.softmax(halves(products), scale, shown.numpy(), halves(weights))
        ctx.scale = scale
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (weights,) = ctx.saved_tensors
        d_products = _like(weights)
        softmax_kernels.differentiate(_rows(gradients[0]), _rows(weights), ctx.scale, _rows(d_products))
        return d_products, None, None


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
