"""Attention of all hypotheses of a sentence together: W queries against one tree of keys, or one memory.

Shapes: R rows, B sentences, W places, H heads, d = D / H, C columns, S source length.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from polyhead.engine.places import Places
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


@dataclass(frozen=True)
class SelfAttention:
    """Attention to the sequence itself."""

    query_key_value: Projection
    output: Projection
    heads: int

    def look(self, x: Tensor, places: Places, hidden: Tensor) -> Tensor:
        """All tokens at once: x [R, D], rows that are tokens, hidden [B·H, 1, W] → [R, D]."""
        parts = self._project(x, places).permute(2, 0, 3, 1, 4).flatten(1, 2)
        query, key, value = parts.unbind(0)
        context = weigh(query, key.transpose(1, 2), value, hidden)
        return self.output(places.gather(from_heads(context, places.shape[0])))

    def step(self, x: Tensor, places: Places, fresh: Tensor, past: tuple[Tensor, Tensor], ancestry: Tensor) -> Tensor:
        """x [R, D] → [R, D]; writes the new keys and values to fresh [2, B, H, W, d].

        past: keys [B·H, d, C] and values [B·H, C, d], the new ones among them; ancestry [B·H, W, C].
        """
        parts = self._project(x, places).permute(2, 0, 3, 1, 4)  # [3, B, H, W, d]
        fresh.copy_(parts[1:])
        context = weigh(parts[0].flatten(0, 1), *past, ancestry)
        return self.output(places.gather(from_heads(context, places.shape[0])))

    def _project(self, x: Tensor, places: Places) -> Tensor:
        """x [R, D] → [B, W, 3, H, d]."""
        return places.spread(self.query_key_value(x)).view(*places.shape, 3, self.heads, -1)


@dataclass(frozen=True)
class CrossAttention:
    """Attention to the memory, which is projected once for a sentence and all its hypotheses."""

    query: Projection
    key_value: Projection
    output: Projection
    heads: int

    def project(self, memory: Tensor, tokens: Places) -> tuple[Tensor, Tensor]:
        """memory [tokens, D] → keys [B·H, d, S] and values [B·H, S, d]."""
        grid = tokens.spread(self.key_value(memory)).view(*tokens.shape, 2, self.heads, -1)
        key = grid[:, :, 0].permute(0, 2, 3, 1).flatten(0, 1)
        return key.contiguous(), grid[:, :, 1].transpose(1, 2).flatten(0, 1)

    def look(self, x: Tensor, places: Places, memory: tuple[Tensor, Tensor], hidden: Tensor) -> Tensor:
        """x [R, D], memory: keys [B·H, d, S] and values [B·H, S, d]; hidden [B·H, 1, S] → [R, D]."""
        grid = places.spread(self.query(x)).view(*places.shape, self.heads, -1)
        context = weigh(grid.transpose(1, 2).flatten(0, 1), *memory, hidden)
        return self.output(places.gather(from_heads(context, places.shape[0])))


def from_heads(context: Tensor, sentences: int) -> Tensor:
    """context [B·H, W, d] → [B·W, D]."""
    each, width, size = context.shape
    heads = each // sentences
    return context.view(sentences, heads, width, size).transpose(1, 2).reshape(sentences * width, heads * size)


def self_attention(attention: MultiHeadAttention, pack: Pack) -> SelfAttention:
    """The module's weights packed, 1/√d_k in W^Q."""
    weight, bias = _scaled(attention)
    return SelfAttention(pack(weight, bias, "none"), _output(attention, pack), attention.num_heads)


def cross_attention(attention: MultiHeadAttention, pack: Pack) -> CrossAttention:
    """The module's weights packed, 1/√d_k in W^Q."""
    weight, bias = _scaled(attention)
    size = weight.size(1)
    query = pack(weight[:size].clone(), bias[:size].clone(), "none")
    key_value = pack(weight[size:].clone(), bias[size:].clone(), "none")
    return CrossAttention(query, key_value, _output(attention, pack), attention.num_heads)


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
