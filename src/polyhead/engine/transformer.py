"""The Transformer prepared for a CPU: a `Seq2Seq` that gives what the trained module gives.

Shapes: B sentences, R rows, S source length, D d_model, V vocabulary, W places of a sentence, H heads, d = D / H.
"""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import torch
from torch import Tensor

from polyhead.batch import cut_by_length
from polyhead.engine.assemble import prepared_decoder, prepared_encoder
from polyhead.engine.attention import for_heads
from polyhead.engine.ends import ENCODED
from polyhead.engine.modules import embedded_modules
from polyhead.engine.past import HIDDEN, STRIDE, Past
from polyhead.engine.places import Places
from polyhead.engine.projection import Pack
from polyhead.model.state import Memory
from polyhead.model.transformer import Transformer

CROWDED = 0.75
"""Sentences that have left keep their place until fewer than this share of the places is in use."""


@dataclass(frozen=True)
class Projected:
    """The memory as every layer's cross-attention wants it."""

    layers: list[tuple[Tensor, Tensor]]
    """Keys [B·H, d, S] and values [B·H, S, d] of each."""
    hidden: Tensor
    """[B·H, 1, S] float32: 0 at real tokens, `HIDDEN` at padding."""
    sentences: int
    """B."""

    def of(self, sentences: Tensor) -> "Projected":
        """sentences [B'] int64 → the memory of those."""

        def kept(part: Tensor) -> Tensor:
            return part.unflatten(0, (self.sentences, -1)).index_select(0, sentences).flatten(0, 1)

        layers = [(kept(keys), kept(values)) for keys, values in self.layers]
        return Projected(layers, kept(self.hidden), len(sentences))


@dataclass(frozen=True)
class PreparedState:
    """The decoder after `length` tokens: a memory and a tree of pasts for every sentence, and who stands where."""

    places: Places
    memory: Projected
    past: Past
    length: int

    def select(self, rows: Tensor) -> "PreparedState":
        """rows [R] int64 → the state of those rows: keys and values stay where they are."""
        sentences = self.places.sentences.index_select(0, rows)
        if torch.equal(sentences, self.places.sentences):
            return replace(self, past=self.past.select(self.places, rows, self.places))
        count = self.places.shape[0]
        used = torch.zeros(count, dtype=torch.bool).index_fill_(0, sentences, True)
        memory, past, before = self.memory, self.past, self.places
        if int(used.sum()) < CROWDED * count:
            staying = used.nonzero()[:, 0]
            number = used.cumsum(0) - 1
            memory, past = memory.of(staying), past.of(staying)
            before = Places(number[before.sentences].clamp(min=0), before.slots, (len(staying), before.shape[1]))
            sentences = number[sentences]
        after = Places.of(sentences, before.shape[0])
        return PreparedState(after, memory, past.select(before, rows, after), self.length)


class PreparedTransformer:
    """`encode`, `start`, `step` with packed weights; the embeddings are the trained module's own."""

    def __init__(self, model: Transformer, pack: Pack) -> None:
        """Raises TypeError where the model has a part that has no prepared form."""
        self.source_embedding = model.source_embedding
        self.target_embedding = embedded_modules(model.target_embedding)
        self.encoder = prepared_encoder(model.encoder, pack)
        self.decoder, self.memories = prepared_decoder(model.decoder, pack)
        self.output_weight = model.output.weight.detach()
        self.output = pack(self.output_weight, None, "none")
        self.d_model = model.output.weight.size(1)
        self.heads = self.memories[0].heads

    @torch.inference_mode()
    def encode(self, source: Tensor, source_mask: Tensor) -> Memory:
        """source [B, S] int64, source_mask [B, S] bool → the encoder's last layer, zeros at padding."""
        states = torch.zeros(*source.shape, self.d_model)
        lengths = cast("list[int]", source_mask.cumsum(1).argmax(1).add(1).tolist())
        for rows in cut_by_length(lengths, ENCODED):
            longest = lengths[rows[0]]
            states[rows, :longest] = self._encoded(source[rows, :longest], source_mask[rows, :longest])
        return Memory(states, source_mask)

    def _encoded(self, source: Tensor, source_mask: Tensor) -> Tensor:
        tokens = Places.of_tokens(source_mask, STRIDE)
        states = torch.zeros(*source.shape, self.d_model)
        x = self.source_embedding(source)[source_mask]
        states[source_mask] = self.encoder(x, tokens.grid, _hidden(tokens, self.heads))
        return states

    @torch.inference_mode()
    def start(self, memory: Memory) -> PreparedState:
        """The memory projected to every layer's keys and values, once for a sentence; no past."""
        tokens = Places.of_tokens(memory.mask, STRIDE)
        states = memory.states[memory.mask]
        projected: list[tuple[Tensor, Tensor]] = [memory(states, tokens.grid) for memory in self.memories]
        seen = memory.mask.any(1)
        if not bool(seen.all()):  # nothing to see gives zeros
            visible = seen.repeat_interleave(self.heads)[:, None, None]
            projected = [(keys, values * visible) for keys, values in projected]
        sentences = memory.mask.size(0)
        past = Past.begin(sentences, len(projected), self.heads, self.d_model // self.heads)
        seen_by_all = Projected(projected, _hidden(tokens, self.heads), sentences)
        return PreparedState(Places.one_each(sentences), seen_by_all, past, 0)

    @torch.inference_mode()
    def step(self, previous: Tensor, state: PreparedState) -> tuple[Tensor, PreparedState]:
        """previous [R] int64, standing at position `state.length` → logits [R, V], the state one longer."""
        x, after = self.features(previous, state)
        return self.output(x), after

    @torch.inference_mode()
    def features(self, previous: Tensor, state: PreparedState) -> tuple[Tensor, PreparedState]:
        """A step up to the output layer: previous [R] int64 → the decoder's last layer [R, D], the state one longer."""
        places, memory = state.places, state.memory
        past = state.past.with_room(places.shape[1]).append(places)
        counted = -(-past.written // STRIDE) * STRIDE
        ancestry = for_heads(past.ancestry[..., :counted], self.heads)
        positions = np.full(len(previous), state.length, np.int64)
        x = torch.from_numpy(self.target_embedding(previous.numpy(), positions))
        columns = past.columns.layers
        x = self.decoder(x, places.grid, columns, past.written, ancestry, memory.layers, memory.hidden)
        return x, PreparedState(places, memory, past, state.length + 1)


def _hidden(tokens: Places, heads: int) -> Tensor:
    """[B·H, 1, W] float32: 0 where a token stands, else `HIDDEN`."""
    hidden = torch.full(tokens.shape, HIDDEN)
    hidden[tokens.sentences, tokens.slots] = 0.0
    return for_heads(hidden[:, None, None], heads)
