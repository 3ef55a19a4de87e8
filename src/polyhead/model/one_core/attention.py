"""Equation 1.

Shapes: B batch, H heads, T queries, S keys, d numbers of a head. Without padding N rows are of queries, M of keys.
"""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.kernels.arrays.scratch import Scratch
from polyhead.kernels.arrays.tensors import are_on_one_core, halves, truths
from polyhead.kernels.attention import in_squares, in_vectors
from polyhead.kernels.attention import softmax as kernels
from polyhead.kernels.attention.sight import Heads, Projected, Sight, Starts, Width
from polyhead.kernels.linear import gemm_in_vectors as vectors
from polyhead.kernels.sums import squares
from polyhead.kernels.sums.vector_sums import WIDTH
from polyhead.model.one_core.heads import views, whole
from polyhead.model.one_core.views import like, rows

_scratch = Scratch()


def softmax(products: Tensor, scale: float, mask: Tensor | None) -> Tensor:
    """The softmax of scale · products [B, H, T, S] in float32, over the keys that the mask shows; of none, zeros."""
    return _Softmax.apply(products, scale, mask)


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """Equation 1: query [B, H, T, d], key and value [B, H, S, d] → context [B, H, T, d]; `softmax` says how."""
    return _Attention.apply(query, key, value, mask)


def attention_in_rows(query: Tensor, key: Tensor, value: Tensor, sight: Sight) -> Tensor:
    """The same of sentences without padding: query [H, N, d], key and value [H, M, d] → context [H, N, d].

    Rows that are no sentence's get zeros, and give none a gradient. Not more than some hundred keys of a sentence.
    """
    return _AttentionInRows.apply(*map(_in_rows, (query, key, value)), sight)


def attends_in_rows(weight: Tensor, numbers: int) -> bool:
    """Whether `attention_in_rows` may be called for what products with this weight give, so many numbers a head."""
    if not are_on_one_core(weight):
        return False
    if weight.dtype == torch.float32:
        return numbers % WIDTH == 0 and vectors.may_multiply()
    return numbers % squares.NUMBERS == 0 and squares.may_multiply()


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


class _AttentionInRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, sight: Sight) -> Tensor:
        heads, _, numbers = query.shape
        width, scale, attending = Width(heads, numbers), 1 / math.sqrt(numbers), _in_squares_or_vectors(query)
        (context,) = _room_for_heads(query, sight.queries, 1)
        weights = torch.empty(attending.bytes_of_weights(sight, width), dtype=torch.uint8)
        given, room = _projected(query, key, value), _room(attending.room_to_attend(sight, width))
        attending.attend(given, sight, width, scale, weights.data_ptr(), _heads(context), room)
        ctx.save_for_backward(query, key, value, weights)
        ctx.known = sight, width, scale
        return context

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        query, key, value, weights = ctx.saved_tensors
        (sight, width, scale), d_context = ctx.known, _in_rows(gradients[0])
        attending = _in_squares_or_vectors(query)
        d_query, d_key, d_value = _gradients(query, key, value, sight)
        given, found = _projected(query, key, value), _projected(d_query, d_key, d_value)
        room = _room(attending.room_to_differentiate(sight, width))
        attending.differentiate(_heads(d_context), given, sight, width, scale, weights.data_ptr(), found, room)
        return d_query, d_key, d_value, None


def _in_squares_or_vectors(x: Tensor) -> Any:
    """What computes it."""
    return in_vectors if x.dtype == torch.float32 else in_squares


def _in_rows(x: Tensor) -> Tensor:
    """The numbers of a head beside each other."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _projected(query: Tensor, key: Tensor, value: Tensor) -> Projected:
    return Projected(_heads(query), _heads(key), _heads(value))


def _heads(x: Tensor) -> Heads:
    """[H, N, d], as a kernel finds it."""
    return Heads(x.data_ptr(), *(x.element_size() * stride for stride in x.stride()[:2]))


def _room(size: int) -> NDArray[np.uint8]:
    return _scratch.take("room", (size,), torch.uint8).numpy()


def _gradients(query: Tensor, key: Tensor, value: Tensor, sight: Sight) -> tuple[Tensor, ...]:
    """Room for them: in one memory where the three are of one projection, else in one of the query's and another."""
    if whole((query, key, value)) is not None:
        return _room_for_heads(query, sight.queries, 3)
    return *_room_for_heads(query, sight.queries, 1), *_room_for_heads(key, sight.keys, 2)


def _room_for_heads(like: Tensor, starts: Starts, parts: int) -> tuple[Tensor, ...]:
    """`parts` times [H, N, d]; rows that are no sentence's are zeros already."""
    heads, rows, numbers = like.shape
    room = like.new_empty(rows, parts * heads * numbers)
    room[int(starts[-1]) :] = 0
    return views(room, parts, heads)


def _shown(mask: Tensor | None, keys: int) -> NDArray[np.bool_]:
    """Four dimensions of the mask, the last one whole."""
    if mask is None:
        return np.ones((1, 1, 1, keys), np.bool_)
    shown = truths(mask)
    shown = shown.reshape((1,) * (4 - shown.ndim) + shown.shape)
    return np.ascontiguousarray(np.broadcast_to(shown, (*shown.shape[:3], keys)))
