"""The decoder: N × (masked self-attention, cross-attention, feed-forward) (section 3.1)."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from polyhead.model.attention import MultiHeadAttention


@dataclass(frozen=True)
class LayerCache:
    """One decoder layer's keys and values, each [B, H, length, d_k]: its own past, and the projected memory."""

    self_key: Tensor
    self_value: Tensor
    cross_key: Tensor
    cross_value: Tensor

    def select(self, rows: Tensor) -> "LayerCache":
        """rows [R] int64 → the cache of those rows."""
        return LayerCache(self.self_key[rows], self.self_value[rows], self.cross_key[rows], self.cross_value[rows])


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the encoder's last layer, feed-forward; each in a residual sub-layer."""

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        cross_attention: MultiHeadAttention,
        feed_forward: nn.Module,
        sublayer: Callable[[], nn.Module],
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.cross_attention = cross_attention
        self.feed_forward = feed_forward
        self.self_attention_sublayer = sublayer()
        self.cross_attention_sublayer = sublayer()
        self.feed_forward_sublayer = sublayer()

    def forward(self, x: Tensor, memory: Tensor, look_ahead: Tensor, memory_mask: Tensor) -> Tensor:
        """x [B, T, D], memory [B, S, D], look_ahead [1, 1, T, T], memory_mask [B, 1, 1, S] → [B, T, D]."""

        def attend(y: Tensor) -> Tensor:
            return self.self_attention(y, y, look_ahead)

        def look_back(y: Tensor) -> Tensor:
            return self.cross_attention(y, memory, memory_mask)

        x = self.self_attention_sublayer(x, attend)
        x = self.cross_attention_sublayer(x, look_back)
        return self.feed_forward_sublayer(x, self.feed_forward)

    def start(self, memory: Tensor) -> LayerCache:
        """memory [B, S, D] → a cache with no past and the memory projected once for all steps to come."""
        cross_key, cross_value = self.cross_attention.project_key_value(memory)
        nothing = cross_key[:, :, :0]
        return LayerCache(nothing, nothing, cross_key, cross_value)

    def step(self, x: Tensor, cache: LayerCache, memory_mask: Tensor) -> tuple[Tensor, LayerCache]:
        """x [B, 1, D], the newest position → its output [B, 1, D] and the cache with this position appended."""
        grown = cache

        def attend(y: Tensor) -> Tensor:
            nonlocal grown
            query, (key, value) = self.self_attention.project_query(y), self.self_attention.project_key_value(y)
            keys = torch.cat([cache.self_key, key], 2)
            values = torch.cat([cache.self_value, value], 2)
            grown = LayerCache(keys, values, cache.cross_key, cache.cross_value)
            return self.self_attention.attend(query, keys, values, None)

        def look_back(y: Tensor) -> Tensor:
            query = self.cross_attention.project_query(y)
            return self.cross_attention.attend(query, cache.cross_key, cache.cross_value, memory_mask)

        x = self.self_attention_sublayer(x, attend)
        x = self.cross_attention_sublayer(x, look_back)
        return self.feed_forward_sublayer(x, self.feed_forward), grown


class Decoder(nn.Module):
    """The stack of layers, with the final normalisation where pre-norm needs one."""

    def __init__(self, layers: list[DecoderLayer], norm: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = norm

    def forward(self, x: Tensor, memory: Tensor, look_ahead: Tensor, memory_mask: Tensor) -> Tensor:
        """x [B, T, D], every layer reading the same memory [B, S, D] → [B, T, D]; masks as in a layer."""
        for layer in self.layers:
            x = layer(x, memory, look_ahead, memory_mask)
        return self.norm(x)

    def start(self, memory: Tensor) -> tuple[LayerCache, ...]:
        """memory [B, S, D] → a cache for each layer, with no past and the memory projected."""
        return tuple(layer.start(memory) for layer in self._typed_layers())

    def step(
        self, x: Tensor, caches: tuple[LayerCache, ...], memory_mask: Tensor
    ) -> tuple[Tensor, tuple[LayerCache, ...]]:
        """x [B, 1, D] → [B, 1, D] and the grown caches."""
        grown: list[LayerCache] = []
        for layer, cache in zip(self._typed_layers(), caches, strict=True):
            x, cache = layer.step(x, cache, memory_mask)
            grown.append(cache)
        return self.norm(x), tuple(grown)

    def _typed_layers(self) -> list[DecoderLayer]:
        return [layer for layer in self.layers if isinstance(layer, DecoderLayer)]
