"""The Transformer for a CPU: a `Seq2Seq` whose every step is one kernel.

Shapes: B sentences, R rows, S source length, D d_model, V vocabulary, L layers, A the width of all heads.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from polyhead.batch import cut_by_length
from polyhead.engine.assemble import has_prepared_form
from polyhead.engine.ends import ENCODED, Embedded, output_rows
from polyhead.engine.nodes import Past
from polyhead.engine.pack import FOUR, Map, Pack, head_width, heads_filled, linear, stacked_norms
from polyhead.engine.projection import Projection
from polyhead.hardware import cpu_features
from polyhead.kernels import layers
from polyhead.kernels.attention import Floats, Integers, Sight
from polyhead.kernels.kept import keep
from polyhead.kernels.layers import Attention, Decoder, Encoder, FeedForward, Norm, Sublayers
from polyhead.kernels.products import multiply
from polyhead.kernels.team import board
from polyhead.model.attention import MultiHeadAttention
from polyhead.model.feed_forward import FeedForward as TrainedFeedForward
from polyhead.model.feed_forward import SwiGLU as TrainedSwiGLU
from polyhead.model.state import Memory
from polyhead.model.sublayer import PostNorm, PreNorm
from polyhead.model.transformer import Transformer

NEEDED = {"avx2", "fma3"}
"""Instructions: without them the kernels are slow, or not to be had."""
PRECISIONS = "float32", "int8"
"""Of the weights that the kernels multiply with."""
FUNCTIONS: dict[object, int] = {nn.functional.relu: layers.RELU, nn.functional.gelu: layers.GELU}


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

    def select(self, rows: Tensor) -> "FusedState":
        """rows [R'] int64 → the state of those rows: keys and values stay where they are."""
        chosen = rows.numpy()
        return FusedState(self.sentences.take(chosen), self.memory, self.past.select(chosen), self.length)


class FusedTransformer:
    """`encode`, `start`, `step`; the embeddings are the trained module's own."""

    def __init__(self, model: Transformer, pack: Pack, packed: Callable[[], None]) -> None:
        """`packed` is called after each weight has been packed."""
        encoder, decoder = cast("Sequence[Any]", model.encoder.layers), cast("Sequence[Any]", model.decoder.layers)
        self.source_embedding = Embedded(model.source_embedding)
        self.target_embedding = Embedded(model.target_embedding)
        self.output_weight = model.output.weight.detach()
        self.vocabulary, self.d_model = self.output_weight.shape
        itself = [layer.self_attention for layer in encoder], [layer.self_attention for layer in decoder]
        across = [layer.cross_attention for layer in decoder]
        encoding = Encoder(
            _attention(itself[0], slice(0, 3), 0, pack, packed),
            _feed_forward([layer.feed_forward for layer in encoder], 1, pack, packed),
            _sublayers(encoder, ("self_attention_sublayer", "feed_forward_sublayer")),
            _norm(model.encoder.norm),
        )
        decoding = Decoder(
            _attention(itself[1], slice(0, 3), 0, pack, packed),
            _attention(across, slice(0, 1), 1, pack, packed),
            _feed_forward([layer.feed_forward for layer in decoder], 2, pack, packed),
            _sublayers(decoder, ("self_attention_sublayer", "cross_attention_sublayer", "feed_forward_sublayer")),
            _norm(model.decoder.norm),
        )
        self.encoder, self.decoder, self.width = keep(encoding), keep(decoding), decoding.itself.width
        self.key_value = pack([partial(_parts, attention, slice(1, 3)) for attention in across], packed)
        self.output = pack([lambda: (self.output_weight, None)], packed)

    @torch.inference_mode()
    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        """source [B, S] int64, source_mask [B, S] bool → the encoder's last layer, zeros at padding."""
        tokens, mask = source.numpy(), source_mask.numpy()
        states = np.zeros((*tokens.shape, self.d_model), np.float32)
        for chosen in cut_by_length(cast("list[int]", mask.sum(1).tolist()), ENCODED):
            rows, seen = np.array(chosen), mask[chosen]
            sentences, columns = seen.nonzero()
            x = self.source_embedding(tokens[rows[sentences], columns], columns)
            counts, places = _sentences(seen)
            layers.encode(x, Sight(places, counts, sentences.astype(np.int32)), self.encoder, board())
            states[rows[sentences], columns] = x
        return Memory(torch.from_numpy(states), source_mask)

    @torch.inference_mode()
    def start(self, memory: Memory) -> FusedState:
        """The memory projected to every layer's keys and values, once for a sentence; no past."""
        mask = memory.mask.numpy()
        states = memory.states.numpy()[mask]
        count = len(self.key_value.weight)
        values = np.empty((count, len(states), 2 * self.width), np.float32)
        layers.remember(states, self.key_value, values, board())
        counts, places = _sentences(mask)
        sentences = np.arange(len(counts), dtype=np.int32)
        past = Past.begin(len(counts), count, 2 * self.width)
        return FusedState(sentences, FusedMemory(values, places, counts), past, 0)

    def step(self, previous: Tensor, state: FusedState) -> tuple[Tensor, FusedState]:
        """previous [R] int64, standing at position `state.length` → logits [R, V], the state one longer."""
        features, after = self.features(previous, state)
        return self.logits(features), after

    def features(self, previous: Tensor, state: FusedState) -> tuple[Tensor, FusedState]:
        """A step up to the output layer: previous [R] int64 → the decoder's last layer [R, D], the state one longer."""
        memory, past = state.memory, state.past.append()
        x = self.target_embedding(previous.numpy(), np.full(len(past.places), state.length, np.int64))
        source = Sight(memory.places, memory.counts, state.sentences)
        layers.decode(x, past.nodes.values, past.places, memory.values, source, self.decoder, board())
        return torch.from_numpy(x), FusedState(state.sentences, memory, past, state.length + 1)

    def logits(self, features: Tensor) -> Tensor:
        """features [R, D] → logits [R, V]."""
        logits = np.empty((len(features), self.vocabulary), np.float32)
        multiply(features.numpy(), self.output, 0, logits, board())
        return torch.from_numpy(logits)

    @torch.inference_mode()
    def output_rows(self, tokens: Tensor) -> Projection:
        """tokens [U] int64 → the output layer onto those alone: features [R, D] → logits [R, U], in float32."""
        return output_rows(self.output_weight, tokens)


def has_fused_form(model: Transformer, dtype: str) -> bool:
    """Whether the kernels know all parts of a model, and this CPU their instructions."""
    layers = cast("Sequence[Any]", [*model.encoder.layers, *model.decoder.layers])
    functions = {_function(layer.feed_forward) for layer in layers}
    known = len(functions) == 1 and None not in functions
    maps = [part for layer in layers for part in layer.modules() if isinstance(part, nn.Linear)]
    whole = dtype != "int8" or not any(part.in_features % FOUR for part in maps)
    possible = dtype in PRECISIONS and has_instructions()
    return possible and known and whole and all(map(has_prepared_form, layers))


def has_instructions() -> bool:
    """Whether this CPU has what the kernels need."""
    return cpu_features() >= NEEDED


def _sentences(mask: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """mask [B, S], True at tokens that lie one after the other in a store → how many a sentence has [B], and which."""
    counts = mask.sum(1, dtype=np.int32)
    first = counts.cumsum(dtype=np.int32) - counts
    return counts, first[:, None] + np.arange(mask.shape[1], dtype=np.int32)


def _attention(
    modules: Sequence[MultiHeadAttention], parts: slice, place: int, pack: Pack, packed: Callable[[], None]
) -> Attention:
    """W^Q, or W^Q, W^K and W^V, and W^O of every layer's attention."""
    heads, d_model = modules[0].num_heads, modules[0].output.in_features
    width = heads * head_width(d_model, heads)
    query = pack([partial(_parts, module, parts) for module in modules], packed)
    return Attention(query, pack([partial(_output, module) for module in modules], packed), heads, width, place)


def _parts(module: MultiHeadAttention, parts: slice) -> Map:
    """Those of W^Q (times 1/√d_k), W^K and W^V, each with its heads filled up."""
    heads = module.num_heads
    weights, biases = (each.detach().chunk(3) for each in (module.query_key_value.weight, module.query_key_value.bias))
    scales = (1 / math.sqrt(len(weights[0]) // heads), 1.0, 1.0)
    chosen = list(zip(weights, biases, scales, strict=True))[parts]
    weight = torch.cat([heads_filled(weight * scale, heads) for weight, _, scale in chosen])
    return weight, torch.cat([heads_filled(bias * scale, heads) for _, bias, scale in chosen])


def _output(module: MultiHeadAttention) -> Map:
    """W^O, with inputs of 0 weight where a head is filled up."""
    weight, bias = linear(module.output)
    return heads_filled(weight.t(), module.num_heads).t(), bias


def _feed_forward(
    modules: Sequence[TrainedFeedForward | TrainedSwiGLU], place: int, pack: Pack, packed: Callable[[], None]
) -> FeedForward:
    function = cast("int", _function(modules[0]))
    least = 0.0 if function == layers.RELU else -math.inf
    inner = pack([partial(linear, module.inner) for module in modules], packed, least=least)
    outer = pack([partial(linear, module.outer) for module in modules], packed)
    return FeedForward(inner, outer, function, modules[0].outer.in_features, place)


def _function(network: nn.Module) -> int | None:
    """As the kernels call what is between its maps; None for what they don't know."""
    if isinstance(network, TrainedSwiGLU):
        return layers.SWIGLU
    return FUNCTIONS.get(network.activation) if isinstance(network, TrainedFeedForward) else None


def _sublayers(layers: Sequence[Any], names: tuple[str, ...]) -> Sublayers:
    modules: list[list[PostNorm | PreNorm]] = [[getattr(layer, name) for name in names] for layer in layers]
    gain, bias = stacked_norms([module.norm for module in each] for each in modules)
    first = modules[0][0]
    return Sublayers(gain, bias, first.norm.eps, isinstance(first, PreNorm))


def _norm(module: nn.Module) -> Norm:
    if not isinstance(module, nn.LayerNorm):
        return Norm(np.empty(0, np.float32), np.empty(0, np.float32), 0.0)
    return Norm(module.weight.detach().numpy(), module.bias.detach().numpy(), module.eps)
