"""Equation 1.

Shapes: B batch, H heads, T queries, S keys, d numbers of a head.
"""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.kernels import attention_in_squares as in_squares
from polyhead.kernels import softmax as kernels
from polyhead.kernels.scratch import Scratch
from polyhead.kernels.squares import NUMBERS, may_multiply
from polyhead.kernels.tensors import halves, truths
from polyhead.model.one_core.heads import views, whole
from polyhead.model.one_core.views import like, rows

_scratch = Scratch()


def softmax(products: Tensor, scale: float, mask: Tensor | None) -> Tensor:
    """The softmax of scale · products [B, H, T, S] in float32, over the keys that the mask shows; of none, zeros."""
    return _Softmax.apply(products, scale, mask)


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """Equation 1: query [B, H, T, d], key and value [B, H, S, d] → context [B, H, T, d]; `softmax` says how."""
    if may_multiply() and query.size(-1) % NUMBERS == 0:
        return _AttentionInSquares.apply(*map(_in_rows, (query, key, value)), mask)
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


class _AttentionInSquares(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        batch, heads, queries, numbers = query.shape
        ctx.size = size = in_squares.Size(batch, heads, queries, key.size(-2), numbers)
        (context,) = views(query.new_empty(batch, queries, heads * numbers), 1, heads)
        weights = torch.empty(in_squares.bytes_of_weights(size), dtype=torch.uint8)
        given, room = _projected(query, key, value), _room(in_squares.room_to_attend(size))
        shown, scale = _shown(mask, size.keys), 1 / math.sqrt(numbers)
        in_squares.attend(given, size, shown, scale, weights.data_ptr(), _heads(context), room)
        ctx.save_for_backward(query, key, value, weights)
        return context

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        query, key, value, weights = ctx.saved_tensors
        size, d_context = ctx.size, _in_rows(gradients[0])
        d_query, d_key, d_value = _gradients(query, key, value)
        found, room = _projected(d_query, d_key, d_value), _room(in_squares.room_to_differentiate(size))
        given, scale = _projected(query, key, value), 1 / math.sqrt(size.numbers)
        in_squares.differentiate(_heads(d_context), given, size, scale, weights.data_ptr(), found, room)
        return d_query, d_key, d_value, None


def _in_rows(x: Tensor) -> Tensor:
    """The numbers of a head beside each other."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _projected(query: Tensor, key: Tensor, value: Tensor) -> in_squares.Projected:
    return in_squares.Projected(_heads(query), _heads(key), _heads(value))


def _heads(x: Tensor) -> in_squares.Heads:
    """[B, H, T, d], as a kernel finds it."""
    return in_squares.Heads(x.data_ptr(), *(2 * stride for stride in x.stride()[:3]))


def _room(size: int) -> NDArray[np.uint8]:
    return _scratch.take("room", (size,), torch.uint8).numpy()


def _gradients(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
    """Room for them: in one memory where the three are of one projection, else in one of the query's and another."""
    batch, heads, queries, numbers = query.shape
    if whole((query, key, value)) is not None:
        return views(query.new_empty(batch, queries, 3 * heads * numbers), 3, heads)
    of_query = views(query.new_empty(batch, queries, heads * numbers), 1, heads)
    return (*of_query, *views(key.new_empty(batch, key.size(-2), 2 * heads * numbers), 2, heads))


def _shown(mask: Tensor | None, keys: int) -> NDArray[np.bool_]:
    """Four dimensions of the mask, the last one whole."""
    if mask is None:
        return np.ones((1, 1, 1, keys), np.bool_)
    shown = truths(mask)
    shown = shown.reshape((1,) * (4 - shown.ndim) + shown.shape)
    return np.ascontiguousarray(np.broadcast_to(shown, (*shown.shape[:3], keys)))
