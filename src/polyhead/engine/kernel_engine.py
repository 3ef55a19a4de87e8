"""The Transformer for a CPU: an engine whose every step is one kernel, and which needs no PyTorch.

Shapes: B sentences, R rows, S source length, D d_model, V vocabulary, L layers, A the width of all heads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from polyhead.batch import cut_by_length
from polyhead.engine.embedding import POSITIONS, TOKENS_AT_ONCE, embedded, encoding_of
from polyhead.engine.output import Output
from polyhead.engine.output_subset import OutputSubset
from polyhead.engine.pack import FOUR, Pack
from polyhead.engine.packed_parts import ACTIVATIONS, PackedParts
from polyhead.engine.past_tree import Past
from polyhead.engine.step import layers
from polyhead.engine.step.layers import Decoder, Encoder
from polyhead.hardware import VNNI, cpu_features
from polyhead.kernels.arrays.pinned_args import pin_args
from polyhead.kernels.attention.by_positions import Floats, Integers, VisibleKeys
from polyhead.kernels.linear.packed_int8 import LONGEST
from polyhead.kernels.threads.team import board
from polyhead.memory.allocate import empty
from polyhead.model.config import TransformerConfig
from polyhead.model.trained import TransformerArrays

INT8_INSTRUCTIONS = {"avx2", "fma3"}
"""The instructions that products of bytes need. Those of float32 are compiled for any CPU."""
PRECISIONS = "float32", "int8"
"""The precisions of weights that the kernels multiply with."""
NORMS = {"post", "pre"}
"""Where a sub-layer's norm may be."""
_NO_QUERIES = np.empty((0, 0, 0), np.float32)
Numbers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class Encoded:
    """The encoder's last layer."""

    states: Floats
    """[B, S, D], zeros at padding."""
    mask: Booleans
    """[B, S], True at tokens."""


@dataclass(frozen=True)
class ProjectedMemory:
    """Every layer's keys and values of the source, and where each sentence's are."""

    values: Floats
    """[L, tokens, 2·A]."""
    rows: Integers
    """[B, S] which of the tokens are each sentence's."""
    counts: Integers
    """[B] how many tokens each sentence has."""


class EngineState(NamedTuple):
    """The decoder after `length` tokens: the sentence of each row, the memory that it sees, and its past."""

    sentences: Integers
    """[R] the number of each row's sentence."""
    memory: ProjectedMemory
    past: Past
    length: int

    def select(self, rows: Numbers) -> EngineState:
        """rows [R'] → the state of those rows: keys and values stay where they are."""
        return EngineState(self.sentences.take(rows), self.memory, self.past.select(rows), self.length)


class KernelEngine:
    """A Transformer by kernels: `encode`, `start` and `step`, which take and give NumPy arrays."""

    def __init__(self, model: TransformerArrays, pack: Pack, packed: Callable[[], None]) -> None:
        """Packs the weights and calls `packed` after each; the model's arrays are not needed any more afterwards."""
        make = PackedParts(model, pack, packed)
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
        self.encoder, self.decoder = pin_args(encoding), pin_args(decoding)
        self.width, self.heads = decoding.self_attention.width, decoding.self_attention.heads
        self.key_value = make.maps("decoder", "cross_attention", slice(1, 3))
        self.logits = Output(weight, pack, packed)
        """features [R, D] → logits [R, V]."""

    def encode(self, source: Numbers, source_mask: Booleans) -> Encoded:
        """source [B, S], source_mask [B, S] → the encoder's last layer.

        Raises IndexError for a token that is not in the vocabulary and for a source longer than the model reads.
        """
        states = np.zeros((*source.shape, self.d_model), np.float32)
        for chosen in cut_by_length(cast("list[int]", source_mask.sum(1).tolist()), TOKENS_AT_ONCE):
            rows, seen = np.array(chosen), source_mask[chosen]
            sentences, columns = seen.nonzero()
            x = self.source_embedding(source[rows[sentences], columns], columns)
            counts, places = _token_rows(seen)
            layers.encode(x, VisibleKeys(places, counts, sentences.astype(np.int32)), self.encoder, board())
            states[rows[sentences], columns] = x
        return Encoded(states, source_mask)

    def start(self, memory: Encoded) -> EngineState:
        """The state before the first token: the memory projected to every layer's keys and values, and no past.

        Raises ValueError for the memory of a model of another width.
        """
        if memory.states.shape[-1] != self.d_model:
            raise ValueError(f"this memory is {memory.states.shape[-1]} numbers wide, this model's is {self.d_model}")
        states = memory.states[memory.mask]
        count = len(self.key_value.weight)
        values = empty((count, len(states), 2 * self.width))
        layers.project_memory(states, self.key_value, values, board())
        counts, places = _token_rows(memory.mask)
        sentences = np.arange(len(counts), dtype=np.int32)
        past = Past.begin(len(counts), count, 2 * self.width)
        return EngineState(sentences, ProjectedMemory(values, places, counts), past, 0)

    def step(self, previous: Numbers, state: EngineState) -> tuple[Floats, EngineState]:
        """previous tokens [R], at position `state.length` → logits [R, V] of the next, and the state one token longer.

        Raises as `features` does.
        """
        features, after = self.features(previous, state)
        return self.logits(features), after

    def features(
        self, previous: Numbers, state: EngineState, queries: Floats | None = None
    ) -> tuple[Floats, EngineState]:
        """A step up to the output layer: previous [R] → the decoder's last layer [R, D], the state one token longer.

        Where it is given, queries [N, R, A] is filled with the queries of the first N layers' cross-attention. Raises
        IndexError for a token that is not in the vocabulary and for a step beyond the model's last position, ValueError
        where there are not as many tokens as the state has rows.
        """
        x = self.target_embedding(previous, np.full(len(state.sentences), state.length, np.int64))
        memory, past = state.memory, state.past.append()
        source = VisibleKeys(memory.rows, memory.counts, state.sentences)
        asked = _NO_QUERIES if queries is None else queries
        layers.decode(x, past.nodes.values, past.ancestors, memory.values, source, asked, self.decoder, board())
        return x, EngineState(state.sentences, memory, past, state.length + 1)

    def output_rows(self, tokens: Numbers) -> OutputSubset:
        """The output layer onto tokens [U] alone: features [R, D] → logits [R, U], in float32."""
        return OutputSubset(self.logits.weight, tokens)


def is_supported(config: TransformerConfig) -> bool:
    """Whether the engine knows all parts that the settings name: a new kind of part may not have come here yet."""
    return config.positions in POSITIONS and config.activation in ACTIVATIONS and config.norm in NORMS


def has_kernels(config: TransformerConfig, dtype: str) -> bool:
    """Whether there are kernels for such a Transformer in that precision, and this CPU has their instructions."""
    if dtype == "int8" and not (has_int8_products() and all(map(_fits_int8, (config.d_model, config.d_ff)))):
        return False
    return dtype in PRECISIONS and is_supported(config)


def _fits_int8(inputs: int) -> bool:
    """Whether rows of so many numbers can be multiplied in int8."""
    return inputs % FOUR == 0 and inputs <= LONGEST


def has_int8_products() -> bool:
    """Whether this CPU has what products in int8 need."""
    return cpu_features() >= INT8_INSTRUCTIONS


def has_two_byte_inputs() -> bool:
    """Whether this CPU's products of bytes round inputs so little that it is hardly ever seen in a translation.

    With VNNI an input has two bytes, and 7 bits without.
    """
    return has_int8_products() and bool(VNNI & cpu_features())


def _token_rows(mask: Booleans) -> tuple[Integers, Integers]:
    """mask [B, S], True at tokens, which are numbered in a row → how many each sentence has [B], and which [B, S]."""
    counts = mask.sum(1, dtype=np.int32)
    first = counts.cumsum(dtype=np.int32) - counts
    return counts, first[:, None] + np.arange(mask.shape[1], dtype=np.int32)
