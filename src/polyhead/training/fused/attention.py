"""Multi-head attention by kernels, also over sentences without padding.

Shapes: H heads, d numbers of a head. N rows are of queries, M of keys.
"""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from polyhead.kernels.arrays.scratch import Scratch
from polyhead.kernels.attention import float32 as attention_of_float32
from polyhead.kernels.attention import tiles as attention_of_bfloat16
from polyhead.kernels.attention.ragged import Heads, HeadShape, Projected, Ragged, Starts
from polyhead.kernels.linear import gemm_float32 as vectors
from polyhead.kernels.microkernels import tiles
from polyhead.kernels.microkernels.simd import WIDTH
from polyhead.model.attention import MultiHeadAttention, ScaledDotProductAttention
from polyhead.training.fused.heads import joined_memory, split_heads, split_views
from polyhead.training.fused.linear import linear
from polyhead.training.precision import Arithmetic

_scratch = Scratch()


class FusedMultiHeadAttention(nn.Module):
    """`MultiHeadAttention` with products by kernels; without padding, equation 1 is computed by a kernel, too."""

    def __init__(self, plain: MultiHeadAttention, core: ScaledDotProductAttention, arithmetic: Arithmetic) -> None:
        super().__init__()
        self.query_key_value, self.output = plain.query_key_value, plain.output
        self.num_heads, self.core, self.arithmetic = plain.num_heads, core, arithmetic

    @classmethod
    def where_plain(cls, plain: MultiHeadAttention, arithmetic: Arithmetic) -> nn.Module:
        """The fused attention; but an attention whose core was exchanged from outside stays as it is."""
        core = plain.core
        return cls(plain, core, arithmetic) if type(core) is ScaledDotProductAttention else plain

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | Ragged | None) -> Tensor:
        """x [B, T, D] looks at memory [B, S, D]; or x [N, D] at memory [M, D] as a `Ragged` says."""
        query, key, value = self._project(x, memory)
        if isinstance(mask, Ragged):
            context = ragged_attention(query, key, value, mask)
        else:
            context = self.core(query, key, value, mask)
        output = self.output
        return linear(context.transpose(-3, -2).flatten(-2), output.weight, output.bias, self.arithmetic)

    def _project(self, x: Tensor, memory: Tensor) -> tuple[Tensor, ...]:
        """Q, K and V: in self-attention by one product; else by two, one for Q and one for K and V."""
        maps, heads, arithmetic = self.query_key_value, self.num_heads, self.arithmetic
        if memory is x:
            return split_heads(linear(x, maps.weight, maps.bias, arithmetic), 3, heads)
        sizes = [maps.weight.size(1), 2 * maps.weight.size(1)]
        weights, biases = torch.split(maps.weight, sizes), torch.split(maps.bias, sizes)
        (query,) = split_heads(linear(x, weights[0], biases[0], arithmetic), 1, heads)
        return query, *split_heads(linear(memory, weights[1], biases[1], arithmetic), 2, heads)

    def takes_ragged(self) -> bool:
        """Whether sentences may come without padding: not with dropout of weights, and only for heads of some sizes."""
        numbers = self.query_key_value.weight.size(1) // self.num_heads
        if self.core.dropout.rate > 0:
            return False
        if self.arithmetic.dtype == torch.float32:
            return numbers % WIDTH == 0 and vectors.is_supported()
        return numbers % tiles.TILE_NUMBERS == 0 and tiles.is_supported()


def ragged_attention(query: Tensor, key: Tensor, value: Tensor, ragged: Ragged) -> Tensor:
    """Equation 1 of sentences without padding: query [H, N, d], key and value [H, M, d] → context [H, N, d].

    Rows that belong to no sentence get zeros and contribute no gradient. A sentence may have some hundred keys at most.
    """
    return _RaggedAttention.apply(*map(_in_rows, (query, key, value)), ragged)


class _RaggedAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, ragged: Ragged) -> Tensor:
        heads, _, size = query.shape
        shape, scale, kernels = HeadShape(heads, size), 1 / math.sqrt(size), _kernels_for(query)
        (context,) = _empty_heads(query, ragged.queries, 1)
        weights = torch.empty(kernels.weights_bytes(ragged, shape), dtype=torch.uint8)
        given, workspace = _projected(query, key, value), _workspace(kernels.forward_workspace_bytes(ragged, shape))
        kernels.forward(given, ragged, shape, scale, weights.data_ptr(), _heads(context), workspace)
        ctx.save_for_backward(query, key, value, weights)
        ctx.known = ragged, shape, scale
        return context

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        query, key, value, weights = ctx.saved_tensors
        (ragged, shape, scale), d_context = ctx.known, _in_rows(gradients[0])
        kernels = _kernels_for(query)
        d_query, d_key, d_value = _gradients(query, key, value, ragged)
        given, found = _projected(query, key, value), _projected(d_query, d_key, d_value)
        workspace = _workspace(kernels.backward_workspace_bytes(ragged, shape))
        kernels.backward(_heads(d_context), given, ragged, shape, scale, weights.data_ptr(), found, workspace)
        return d_query, d_key, d_value, None


def _kernels_for(x: Tensor) -> Any:
    """The kernels of attention for a tensor's format."""
    return attention_of_float32 if x.dtype == torch.float32 else attention_of_bfloat16


def _in_rows(x: Tensor) -> Tensor:
    """The tensor, or a copy of it, in which the numbers of a head are contiguous."""
    return x if x.stride(-1) == 1 else x.contiguous()


def _projected(query: Tensor, key: Tensor, value: Tensor) -> Projected:
    return Projected(_heads(query), _heads(key), _heads(value))


def _heads(x: Tensor) -> Heads:
    """Where a kernel finds the numbers of a tensor [H, N, d]: its address, and its strides in bytes."""
    return Heads(x.data_ptr(), *(x.element_size() * stride for stride in x.stride()[:2]))


def _workspace(size: int) -> NDArray[np.uint8]:
    return _scratch.get("workspace", (size,), torch.uint8).numpy()


def _gradients(query: Tensor, key: Tensor, value: Tensor, ragged: Ragged) -> tuple[Tensor, ...]:
    """Tensors for the gradients: in one piece of memory where one projection gave all three, else in two pieces."""
    if joined_memory((query, key, value)) is not None:
        return _empty_heads(query, ragged.queries, 3)
    return *_empty_heads(query, ragged.queries, 1), *_empty_heads(key, ragged.keys, 2)


def _empty_heads(like: Tensor, starts: Starts, parts: int) -> tuple[Tensor, ...]:
    """`parts` tensors [H, N, d] without values, but with zeros in the rows that belong to no sentence."""
    heads, rows, numbers = like.shape
    together = like.new_empty(rows, parts * heads * numbers)
    together[int(starts[-1]) :] = 0
    return split_views(together, parts, heads)
