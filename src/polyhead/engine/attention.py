"""Attention of all hypotheses of a sentence together: W queries against one tree of keys, or one memory.

Everything that runs at every step is compiled, and written in what TorchScript knows of Python.
Shapes: R rows, B sentences, W places, H heads, d = D / H, C columns, S source length.
"""

import math
from typing import Final

import torch
from torch import Tensor, nn

from polyhead.engine.places import Grid, gather, spread
from polyhead.engine.projection import Pack, Projection
from polyhead.model.attention import MultiHeadAttention


def weigh(query: Tensor, key: Tensor, value: Tensor, hidden: Tensor) -> Tensor:
    """Equation 1: query [B·H, W, d] (scaled already), key [B·H, d, C], value [B·H, C, d] → [B·H, W, d].

    hidden [B·H, W or 1, C] is added to the scores.
    """
    return torch.bmm(torch.baddbmm(hidden, query, key).softmax(-1), value)


def for_heads(hidden: Tensor, heads: int) -> Tensor:
    """hidden [B, 1, W, C] → [B·H, W, C], once for all layers."""
    return hidden.expand(-1, heads, -1, -1).flatten(0, 1)


class SelfAttention(nn.Module):
    """Attention to the sequence itself."""

    heads: Final[int]

    def __init__(self, query_key_value: Projection, output: Projection, heads: int) -> None:
        super().__init__()
        self.query_key_value = query_key_value
        self.output = output
        self.heads = heads

    def look(self, x: Tensor, grid: Grid, hidden: Tensor) -> Tensor:
        """All tokens at once: x [R, D], rows that are tokens, hidden [B·H, 1, W] → [R, D]."""
        parts = self.project(x, grid).flatten(1, 2)
        context = weigh(parts[0], parts[1].transpose(1, 2), parts[2], hidden)
        return self.output(gather(from_heads(context, grid.sentences), grid))

    def step(self, x: Tensor, grid: Grid, columns: Tensor, written: int, ancestry: Tensor) -> Tensor:
        """x [R, D] → [R, D]; writes keys and values to columns [2, B·H, C, d] at written - W … written - 1.

        ancestry [B·H, W, C'] with the columns that count.
        """
        parts = self.project(x, grid)
        fresh = columns.narrow(2, written - grid.width, grid.width)
        fresh.view(2, grid.sentences, self.heads, grid.width, columns.size(3)).copy_(parts[1:])
        seen = columns.narrow(2, 0, ancestry.size(2))
        context = weigh(parts[0].flatten(0, 1), seen[0].transpose(1, 2), seen[1], ancestry)
        return self.output(gather(from_heads(context, grid.sentences), grid))

    def project(self, x: Tensor, grid: Grid) -> Tensor:
        """x [R, D] → queries, keys and values [3, B, H, W, d]."""
        parts = spread(self.query_key_value(x), grid).view(grid.sentences, grid.width, 3, self.heads, -1)
        return parts.permute(2, 0, 3, 1, 4)


class CrossAttention(nn.Module):
    """Attention to the memory, which is projected once for a sentence and all its hypotheses."""

    heads: Final[int]

    def __init__(self, query: Projection, output: Projection, heads: int) -> None:
        super().__init__()
        self.query = query
        self.output = output
        self.heads = heads

    def look(self, x: Tensor, grid: Grid, key: Tensor, value: Tensor, hidden: Tensor) -> Tensor:
        """x [R, D], key [B·H, d, S], value [B·H, S, d], hidden [B·H, 1, S] → [R, D]."""
        query = spread(self.query(x), grid).view(grid.sentences, grid.width, self.heads, -1)
        context = weigh(query.transpose(1, 2).flatten(0, 1), key, value, hidden)
        return self.output(gather(from_heads(context, grid.sentences), grid))


class MemoryProjection(nn.Module):
    """The memory's keys and values for one layer."""

    heads: Final[int]

    def __init__(self, key_value: Projection, heads: int) -> None:
        super().__init__()
        self.key_value = key_value
        self.heads = heads

    def forward(self, memory: Tensor, grid: Grid) -> tuple[Tensor, Tensor]:
        """memory [tokens, D] → keys [B·H, d, S] and values [B·H, S, d]."""
        parts = spread(self.key_value(memory), grid).view(grid.sentences, grid.width, 2, self.heads, -1)
        key = parts[:, :, 0].permute(0, 2, 3, 1).flatten(0, 1)
        return key.contiguous(), parts[:, :, 1].transpose(1, 2).flatten(0, 1)


def from_heads(context: Tensor, sentences: int) -> Tensor:
    """context [B·H, W, d] → [B·W, D]."""
    each, width, size = context.shape
    heads = each // sentences
    return context.view(sentences, heads, width, size).transpose(1, 2).reshape(sentences * width, heads * size)


def self_attention(attention: MultiHeadAttention, pack: Pack) -> SelfAttention:
    """The module's weights packed, 1/√d_k in W^Q."""
    weight, bias = _scaled(attention)
    return SelfAttention(pack(weight, bias, "none"), _output(attention, pack), attention.num_heads)


def cross_attention(attention: MultiHeadAttention, pack: Pack) -> tuple[CrossAttention, MemoryProjection]:
    """The module's weights packed, 1/√d_k in W^Q."""
    weight, bias = _scaled(attention)
    size, heads = weight.size(1), attention.num_heads
    query = pack(weight[:size].clone(), bias[:size].clone(), "none")
    key_value = pack(weight[size:].clone(), bias[size:].clone(), "none")
    return CrossAttention(query, _output(attention, pack), heads), MemoryProjection(key_value, heads)


def _scaled(attention: MultiHeadAttention) -> tuple[Tensor, Tensor]:
    linear = attention.query_key_value
    weight, bias = linear.weight.detach().clone(), linear.bias.detach().clone()
    size = weight.size(1)
    scale = 1 / math.sqrt(size // attention.num_heads)
    weight[:size] *= scale
    bias[:size] *= scale
    return weight, bias


def _output(attention: MultiHeadAttention, pack: Pack) -> Projection:
    return pack(attention.output.weight.detach(), attention.output.bias.detach(), "none")
