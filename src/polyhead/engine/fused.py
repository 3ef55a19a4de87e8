"""The Transformer for a CPU: an engine whose every step is one kernel, and which needs no PyTorch.

Shapes: B sentences, R rows, S source length, D d_model, V vocabulary, L layers, A the width of all heads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from polyhead.batch import cut_by_length
from polyhead.engine.ends import ENCODED, PLACED, embedded, encoding_of
from polyhead.engine.nodes import Past
from polyhead.engine.output import Output
from polyhead.engine.pack import FOUR, Map, Pack, head_width, heads_filled, stacked_norms
from polyhead.engine.room import room_for
from polyhead.engine.rows import Rows
from polyhead.hardware import cpu_features
from polyhead.kernels.arrays.kept import keep
from polyhead.kernels.attention.of_rows import Floats, Integers, Sight
from polyhead.kernels.step import layers
from polyhead.kernels.step.layers import Attention, Decoder, Encoder, FeedForward, Norm, Sublayers
from polyhead.kernels.threads.team import board
from polyhead.model.config import TransformerConfig
from polyhead.model.shapes import STACKS, layers_of
from polyhead.model.trained import EPSILON, TransformerArrays

NEEDED = {"avx2", "fma3"}
"""Instructions: without them the kernels are slow, or not to be had."""
PRECISIONS = "float32", "int8"
"""Of the weights that the kernels multiply with."""
FUNCTIONS = {"relu": layers.RELU, "gelu": layers.GELU, "swiglu": layers.SWIGLU}
"""What is between the maps of a feed-forward network, as the kernels call it."""
NORMS = {"post", "pre"}
"""Where a sub-layer's norm may be."""
Numbers = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Encoded:
    """The encoder's last layer."""

    states: Floats
    """[B, S, D], zeros at padding."""
    mask: Truths
    """[B, S], True at tokens."""


@dataclass(frozen=True)
class FusedMemory:
    """Every layer's keys and values of the source, and where each sentence's are."""

    values: Floats
    """[L, tokens, 2·A]."""
    places: Integers
    """[B, S]."""
    counts: Integers
    """[B]."""


@dataclass(frozen=True)
class FusedState:
    """The decoder after `length` tokens: whose rows these are, what they see and what is behind them."""

    sentences: Integers
    """[R]."""
    memory: FusedMemory
    past: Past
    length: int

    def select(self, rows: Numbers) -> FusedState:
        """rows [R'] → the state of those rows: keys and values stay where they are."""
        return FusedState(self.sentences.take(rows), self.memory, self.past.select(rows), self.length)


class FusedTransformer:
    """`encode`, `start`, `step`, in arrays."""

    def __init__(self, model: TransformerArrays, pack: Pack, packed: Callable[[], None]) -> None:
        """`packed` is called after each weight has been packed; the model's arrays are not needed any more."""
        make = _Parts(model, pack, packed)
        tables: dict[int, Floats] = {}  # tied weights are one array, and are copied once

        def table(name: str) -> Floats:
            found = model[name]
            return tables.setdefault(id(found), found.copy())

        ends, encoding = ("source_embedding", "target_embedding"), encoding_of(model.config)
        self.source_embedding, self.target_embedding = (
            embedded(model, name, table(f"{name}.tokens.weight"), encoding) for name in ends
        )
        weight = table("output.weight")
        self.d_model = weight.shape[1]
        encoding = Encoder(
            make.attention("encoder", "self_attention", slice(0, 3), 0),
            make.feed_forward("encoder", 1),
            make.sublayers("encoder"),
            make.norm("encoder"),
        )
        decoding = Decoder(
            make.attention("decoder", "self_attention", slice(0, 3), 0),
            make.attention("decoder", "cross_attention", slice(0, 1), 1),
            make.feed_forward("decoder", 2),
            make.sublayers("decoder"),
            make.norm("decoder"),
        )
        self.encoder, self.decoder, self.width = keep(encoding), keep(decoding), decoding.itself.width
        self.key_value = make.maps("decoder", "cross_attention", slice(1, 3))
        self.logits = Output(weight, pack, packed)
        """features [R, D] → logits [R, V]."""

    def encode(self, source: Numbers, source_mask: Truths) -> Encoded:
        """source [B, S], source_mask [B, S] → the encoder's last layer.

        Raises IndexError for a token that is not in the vocabulary and for a source longer than the model reads.
        """
        states = np.zeros((*source.shape, self.d_model), np.float32)
        for chosen in cut_by_length(cast("list[int]", source_mask.sum(1).tolist()), ENCODED):
            rows, seen = np.array(chosen), source_mask[chosen]
            sentences, columns = seen.nonzero()
            x = self.source_embedding(source[rows[sentences], columns], columns)
            counts, places = _sentences(seen)
            layers.encode(x, Sight(places, counts, sentences.astype(np.int32)), self.encoder, board())
            states[rows[sentences], columns] = x
        return Encoded(states, source_mask)

    def start(self, memory: Encoded) -> FusedState:
        """The memory projected to every layer's keys and values, once for a sentence; no past.

        Raises ValueError for the memory of a model of another width.
        """
        if memory.states.shape[-1] != self.d_model:
            raise ValueError(f"this memory is {memory.states.shape[-1]} numbers wide, this model's is {self.d_model}")
        states = memory.states[memory.mask]
        count = len(self.key_value.weight)
        values = room_for((count, len(states), 2 * self.width))
        layers.remember(states, self.key_value, values, board())
        counts, places = _sentences(memory.mask)
        sentences = np.arange(len(counts), dtype=np.int32)
        past = Past.begin(len(counts), count, 2 * self.width)
        return FusedState(sentences, FusedMemory(values, places, counts), past, 0)

    def step(self, previous: Numbers, state: FusedState) -> tuple[Floats, FusedState]:
        """previous [R], standing at position `state.length` → logits [R, V], the state one longer.

        Raises as `features` does.
        """
        features, after = self.features(previous, state)
        return self.logits(features), after

    def features(self, previous: Numbers, state: FusedState) -> tuple[Floats, FusedState]:
        """A step up to the output layer: previous [R] → the decoder's last layer [R, D], the state one longer.

        Raises IndexError for a token that is not in the vocabulary and for a step beyond the model's last position,
        ValueError where there are not as many tokens as the state has rows.
        """
        x = self.target_embedding(previous, np.full(len(state.sentences), state.length, np.int64))
        memory, past = state.memory, state.past.append()
        source = Sight(memory.places, memory.counts, state.sentences)
        layers.decode(x, past.nodes.values, past.places, memory.values, source, self.decoder, board())
        return x, FusedState(state.sentences, memory, past, state.length + 1)

    def output_rows(self, tokens: Numbers) -> Rows:
        """tokens [U] → the output layer onto those alone: features [R, D] → logits [R, U], in float32."""
        return Rows(self.logits.weight, tokens)


def is_known(config: TransformerConfig) -> bool:
    """Whether engines know all parts that the settings name: a new one may not have come here yet."""
    return config.positions in PLACED and config.activation in FUNCTIONS and config.norm in NORMS


def has_fused_form(config: TransformerConfig, dtype: str) -> bool:
    """Whether there are kernels for such a Transformer in that precision, and this CPU has their instructions."""
    whole = dtype != "int8" or not (config.d_model % FOUR or config.d_ff % FOUR)
    return dtype in PRECISIONS and has_instructions() and whole and is_known(config)


def has_instructions() -> bool:
    """Whether this CPU has what the kernels need."""
    return cpu_features() >= NEEDED


def _sentences(mask: Truths) -> tuple[Integers, Integers]:
    """mask [B, S], True at tokens that lie one after the other in a store → how many a sentence has [B], and which."""
    counts = mask.sum(1, dtype=np.int32)
    first = counts.cumsum(dtype=np.int32) - counts
    return counts, first[:, None] + np.arange(mask.shape[1], dtype=np.int32)


@dataclass(frozen=True)
class _Parts:
    """Makes of a model's weights what the kernels read: those of all layers of a stack together."""

    model: TransformerArrays
    pack: Pack
    packed: Callable[[], None]

    def attention(self, stack: str, name: str, parts: slice, place: int) -> Attention:
        """W^Q, or W^Q, W^K and W^V, and W^O."""
        heads, size = self.model.config.num_heads, self.model.config.d_model
        output = self.pack([partial(self._output, f"{layer}.{name}") for layer in self._layers(stack)], self.packed)
        return Attention(self.maps(stack, name, parts), output, heads, heads * head_width(size, heads), place)

    def maps(self, stack: str, name: str, parts: slice) -> layers.Product:
        """Those of an attention's W^Q, W^K and W^V."""
        found = [partial(self._stacked, f"{layer}.{name}", parts) for layer in self._layers(stack)]
        return self.pack(found, self.packed)

    def feed_forward(self, stack: str, place: int) -> FeedForward:
        """Both maps and what is between them."""
        function = FUNCTIONS[self.model.config.activation]
        inner, outer = (
            [partial(self.model.map, f"{layer}.feed_forward.{part}") for layer in self._layers(stack)]
            for part in ("inner", "outer")
        )
        least = 0.0 if function == layers.RELU else -math.inf
        first = self.pack(inner, self.packed, least=least)
        return FeedForward(first, self.pack(outer, self.packed), function, self.model.config.d_ff, place)

    def sublayers(self, stack: str) -> Sublayers:
        """The norms around them."""
        names = (*STACKS[stack], "feed_forward")
        norms = [[self.model.map(f"{layer}.{name}_sublayer.norm") for name in names] for layer in self._layers(stack)]
        return Sublayers(*stacked_norms(norms), EPSILON, self.model.config.norm == "pre")

    def norm(self, stack: str) -> Norm:
        """The one that ends the stack; empty where there is none."""
        if self.model.config.norm != "pre":
            return Norm(np.empty(0, np.float32), np.empty(0, np.float32), 0.0)
        gain, bias = self.model.map(f"{stack}.norm")
        return Norm(gain.copy(), bias.copy(), EPSILON)

    def _layers(self, stack: str) -> Sequence[str]:
        return tuple(layers_of(self.model.config, stack))

    def _stacked(self, name: str, parts: slice) -> Map:
        """Those of W^Q (times 1/√d_k), W^K and W^V, each with its heads filled up."""
        heads = self.model.config.num_heads
        weights, biases = (np.split(each, 3) for each in self.model.map(f"{name}.query_key_value"))
        scales = (np.float32(1 / math.sqrt(len(weights[0]) // heads)), np.float32(1), np.float32(1))
        chosen = list(zip(weights, biases, scales, strict=True))[parts]
        weight = np.concatenate([heads_filled(weight * scale, heads) for weight, _, scale in chosen])
        return weight, np.concatenate([heads_filled(bias * scale, heads) for _, bias, scale in chosen])

    def _output(self, name: str) -> Map:
        """W^O, with inputs of 0 weight where a head is filled up."""
        weight, bias = self.model.map(f"{name}.output")
        return heads_filled(weight.T, self.model.config.num_heads).T, bias
