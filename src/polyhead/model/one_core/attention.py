"""Equation 1.

Shapes: B batch, H heads, T queries, S keys, d numbers of a head.
"""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.kernels import softmax as kernels
from polyhead.kernels.tensors import halves, truths
from polyhead.model.one_core.views import like, rows


def softmax(products: Tensor, scale: float, mask: Tensor | None) -> Tensor:
    """The softmax of scale · products [B, H, T, S] in float32, over the keys that the mask shows; of none, zeros."""
    return _Softmax.apply(products, scale, mask)


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """Equation 1: query [B, H, T, d], key and value [B, H, S, d] → context [B, H, T, d]; `softmax` says how."""
    return _Attention.apply(query, key, value, mask)


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, products: Tensor, scale: float, mask: Tensor | None) -> Tensor:
        weights = like(products)
        kernels.softmax(halves(products), scale, _shown(mask, products.size(-1)), halves(weights))
        ctx.scale = scale
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (weights,) = ctx.saved_tensors
        d_products = like(weights)
        kernels.differentiate(rows(gradients[0]), rows(weights), ctx.scale, rows(d_products))
        return d_products, None, None


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        scale, shown = 1 / math.sqrt(query.size(-1)), _shown(mask, key.size(-2))
        weights = (query @ key.transpose(-2, -1)).contiguous()
        kernels.softmax(halves(weights), scale, shown, halves(weights))
        ctx.scale = scale
        ctx.save_for_backward(query, key, value, weights)
        return weights @ value

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        query, key, value, weights = ctx.saved_tensors
        d_context = gradients[0].contiguous()
        d_value = weights.transpose(-2, -1) @ d_context
        d_scores = (d_context @ value.transpose(-2, -1)).contiguous()
        kernels.differentiate(rows(d_scores), rows(weights), ctx.scale, rows(d_scores))
        return d_scores @ key, d_scores.transpose(-2, -1) @ query, d_value, None


def _shown(mask: Tensor | None, keys: int) -> NDArray[np.bool_]:
    """Four dimensions of the mask, the last one whole."""
    if mask is None:
        return np.ones((1, 1, 1, keys), np.bool_)
    shown = truths(mask)
    shown = shown.reshape((1,) * (4 - shown.ndim) + shown.shape)
    return np.ascontiguousarray(np.broadcast_to(shown, (*shown.shape[:3], keys)))
