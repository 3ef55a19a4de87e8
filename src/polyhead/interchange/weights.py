"""A Transformer's weights as plain values, named by what they are: what every other format is written from.

Shapes: V vocabulary, L positions, D d_model, F d_ff. `reordered` gives the same function with the D dimensions that the
layers hand on in another order, [D] int64; the dimensions inside heads and feed-forward networks stay where they are.
"""

from dataclasses import dataclass, replace

from torch import Tensor


@dataclass(frozen=True)
class Map:
    """A linear map's W [out, in] and b [out], x Wᵀ + b, or a LayerNorm's gain and bias, each [D]."""

    weight: Tensor
    bias: Tensor

    def rows(self, chosen: Tensor | slice) -> "Map":
        """The map with the chosen outputs alone, in the order in which they are chosen."""
        return Map(self.weight[chosen], self.bias[chosen])

    def columns(self, order: Tensor) -> "Map":
        """The map with its inputs in another order."""
        return Map(self.weight[:, order], self.bias)


@dataclass(frozen=True)
class AttentionWeights:
    """Multi-head attention, and the LayerNorm of its residual sub-layer."""

    query: Map
    key: Map
    value: Map
    output: Map
    norm: Map

    def reordered(self, order: Tensor) -> "AttentionWeights":
        query, key, value = (each.columns(order) for each in (self.query, self.key, self.value))
        return AttentionWeights(query, key, value, self.output.rows(order), self.norm.rows(order))


@dataclass(frozen=True)
class FeedForwardWeights:
    """The feed-forward network D → F → D, and the LayerNorm of its residual sub-layer."""

    inner: Map
    gate: Map | None
    """SwiGLU's W, whose result goes through SiLU and multiplies that of `inner`, SwiGLU's V; None without SwiGLU."""
    outer: Map
    norm: Map

    def reordered(self, order: Tensor) -> "FeedForwardWeights":
        gate = self.gate.columns(order) if self.gate else None
        return FeedForwardWeights(self.inner.columns(order), gate, self.outer.rows(order), self.norm.rows(order))


@dataclass(frozen=True)
class LayerWeights:
    """One layer of the encoder or the decoder."""

    self_attention: AttentionWeights
    cross_attention: AttentionWeights | None
    """The attention to the encoder's output; None in the encoder."""
    feed_forward: FeedForwardWeights

    def reordered(self, order: Tensor) -> "LayerWeights":
        cross = self.cross_attention.reordered(order) if self.cross_attention else None
        return LayerWeights(self.self_attention.reordered(order), cross, self.feed_forward.reordered(order))


@dataclass(frozen=True)
class StackWeights:
    """Encoder or decoder: √D·tokens[token] + positions[place], then the layers."""

    tokens: Tensor
    """The token vectors [V, D], before they are multiplied by √D."""
    positions: Tensor
    """The position vectors [L, D]."""
    layers: tuple[LayerWeights, ...]
    norm: Map | None
    """The LayerNorm that ends a pre-norm stack; None in a post-norm one."""

    def reordered(self, order: Tensor) -> "StackWeights":
        layers = tuple(layer.reordered(order) for layer in self.layers)
        norm = self.norm.rows(order) if self.norm else None
        return StackWeights(self.tokens[:, order], self.positions[:, order], layers, norm)


@dataclass(frozen=True)
class TransformerWeights:
    """All weights of a Transformer. Tied weights are one tensor that stands in several places."""

    encoder: StackWeights
    decoder: StackWeights
    output: Tensor
    """The matrix of the output layer [V, D], which has no bias."""

    def reordered(self, order: Tensor) -> "TransformerWeights":
        encoder, decoder = self.encoder.reordered(order), self.decoder.reordered(order)
        if self.decoder.tokens is self.encoder.tokens:
            decoder = replace(decoder, tokens=encoder.tokens)
        output = decoder.tokens if self.output is self.decoder.tokens else self.output[:, order]
        return TransformerWeights(encoder, decoder, output)
