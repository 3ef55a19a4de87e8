"""What the kernels read, made of a model's weights: those of all layers of a stack together."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from polyhead.engine.pack import LinearMap, Pack, head_width, pad_heads, stacked_norms
from polyhead.engine.step import layers
from polyhead.engine.step.layers import Attention, FeedForward, Norm, Sublayers
from polyhead.model.shapes import STACKS, layers_of
from polyhead.model.trained import EPSILON, TransformerArrays

ACTIVATIONS = {"relu": layers.RELU, "gelu": layers.GELU, "swiglu": layers.SWIGLU}
"""The activation between the maps of a feed-forward network → what the kernels call it."""


@dataclass(frozen=True)
class PackedParts:
    """Makes of a model's weights what the kernels read: those of all layers of a stack together."""

    model: TransformerArrays
    pack: Pack
    packed: Callable[[], None]

    def attention(self, stack: str, name: str, parts: slice, place: int) -> Attention:
        """An attention of every layer: the maps W^Q, W^K and W^V that `parts` chooses, and W^O."""
        heads, size = self.model.config.num_heads, self.model.config.d_model
        output = self.pack([partial(self._output, f"{layer}.{name}") for layer in self._layers(stack)], self.packed)
        return Attention(self.maps(stack, name, parts), output, heads, heads * head_width(size, heads), place)

    def maps(self, stack: str, name: str, parts: slice) -> layers.PackedWeights:
        """The maps W^Q, W^K and W^V that `parts` chooses, of an attention of every layer, as one product."""
        found = [partial(self._stacked, f"{layer}.{name}", parts) for layer in self._layers(stack)]
        return self.pack(found, self.packed)

    def feed_forward(self, stack: str, place: int) -> FeedForward:
        """The feed-forward network of every layer: both maps and the activation between them."""
        function = ACTIVATIONS[self.model.config.activation]
        inner, outer = (
            [partial(self.model.map, f"{layer}.feed_forward.{part}") for layer in self._layers(stack)]
            for part in ("inner", "outer")
        )
        least = 0.0 if function == layers.RELU else -math.inf
        first = self.pack(inner, self.packed, least=least)
        return FeedForward(first, self.pack(outer, self.packed), function, self.model.config.d_ff, place)

    def sublayers(self, stack: str) -> Sublayers:
        """The norms around the sub-layers of every layer."""
        names = (*STACKS[stack], "feed_forward")
        norms = [[self.model.map(f"{layer}.{name}_sublayer.norm") for name in names] for layer in self._layers(stack)]
        return Sublayers(*stacked_norms(norms), EPSILON, self.model.config.norm == "pre")

    def norm(self, stack: str) -> Norm:
        """The norm that ends the stack; empty where there is none."""
        if self.model.config.norm != "pre":
            return Norm(np.empty(0, np.float32), np.empty(0, np.float32), 0.0)
        gain, bias = self.model.map(f"{stack}.norm")
        return Norm(gain.copy(), bias.copy(), EPSILON)

    def _layers(self, stack: str) -> Sequence[str]:
        return tuple(layers_of(self.model.config, stack))

    def _stacked(self, name: str, parts: slice) -> LinearMap:
        """The maps W^Q (times 1/√d_k), W^K, W^V that `parts` chooses, one below the other, with heads filled up."""
        heads = self.model.config.num_heads
        weights, biases = (np.split(each, 3) for each in self.model.map(f"{name}.query_key_value"))
        scales = (np.float32(1 / math.sqrt(len(weights[0]) // heads)), np.float32(1), np.float32(1))
        chosen = list(zip(weights, biases, scales, strict=True))[parts]
        weight = np.concatenate([pad_heads(weight * scale, heads) for weight, _, scale in chosen])
        return weight, np.concatenate([pad_heads(bias * scale, heads) for _, bias, scale in chosen])

    def _output(self, name: str) -> LinearMap:
        """W^O, with inputs of 0 weight where a head is filled up."""
        weight, bias = self.model.map(f"{name}.output")
        return pad_heads(weight.T, self.model.config.num_heads).T, bias
