"""One teacher-forced pass with every part of the model heard: the arrays that a trace is made of.

Shapes: S source, T target, Tq queries, Tk keys, H heads, D d_model, V vocabulary; only the batch's first row is kept.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from polyhead.batch import Batch
from polyhead.inspection.anatomy import Attention, FeedForward, attentions, feed_forwards
from polyhead.inspection.cores import note
from polyhead.inspection.names import Array, Place
from polyhead.model.attention import MultiHeadAttention
from polyhead.model.embedding import Embedding
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.model.transformer import Transformer


@dataclass(frozen=True)
class Notes:
    """The arrays that listeners noted in one pass."""

    arrays: dict[Place, Array] = field(default_factory=dict[Place, Array])
    """A tensor's name and layer → its values in float32, or bool for a mask."""

    def add(self, name: str, layer: int | None, tensor: Tensor) -> None:
        """Keeps the first row of `tensor` [B, …]."""
        row = tensor.detach()[0]
        self.arrays[name, layer] = np.array((row.float() if row.is_floating_point() else row).cpu().numpy())


def record(model: Seq2SeqModel[Any], batch: Batch) -> tuple[Notes, Array]:
    """Notes of one pass of `model`, a view that is of no use afterwards, and log P(y_t | y_<t, X) [T, V] float32."""
    notes = Notes()
    for attention in attentions(model):
        _hear_attention(attention, notes)
    if isinstance(model, Transformer):
        _hear_embedding("encoder", model.source_embedding, notes)
        _hear_embedding("decoder", model.target_embedding, notes)
        _hear(model.encoder, lambda _, output: notes.add("encoder.output", None, output))
        _hear(model.decoder, lambda _, output: notes.add("decoder.output", None, output))
        for network in feed_forwards(model):
            _hear_feed_forward(network, notes)
    with torch.inference_mode():
        features = model.decode(batch.target_in, model.encode(batch.source, batch.source_mask))
        log_probabilities = model.output_layer(features[:1]).float().log_softmax(-1)[0]
    return notes, log_probabilities.cpu().numpy()


def _hear(module: nn.Module, listener: Callable[[Tensor, Tensor], None]) -> None:
    """Has `listener` called with the module's first input and its output in every pass."""

    def hook(_: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        listener(inputs[0], output)

    module.register_forward_hook(hook)


def _hear_attention(place: Attention, notes: Notes) -> None:
    site, layer = place.site, place.layer
    output = place.module.output if isinstance(place.module, MultiHeadAttention) else None

    def listen(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, weights: Tensor) -> None:
        asked = query if place.divided else query / query.size(-1) ** 0.5
        for name, tensor in (("q", asked), ("k", key), ("v", value), ("weights", weights)):
            notes.add(f"{site}.{name}", layer, tensor)
        seen = weights.new_ones(weights.shape, dtype=torch.bool) if mask is None else mask.expand_as(weights)
        notes.add(f"{site}.mask", layer, seen[:, 0])  # the same for every head
        if output is not None:
            notes.add(f"{site}.value_norms", layer, value_norms(value, output.weight))

    note(place.module, listen)
    if output is not None:
        _hear(output, lambda concat, _: notes.add(f"{site}.concat", layer, concat))
        _hear(output, lambda _, result: notes.add(f"{site}.output", layer, result))
    if place.sublayer is not None:
        _hear_sublayer(place.sublayer, site, layer, notes)


def value_norms(value: Tensor, output: Tensor) -> Tensor:
    """value [B, H, S, d_v], W^O [D, H·d_v] → [B, H, S]: ‖v_j W^O_h‖, what a key has to give (Kobayashi et al. 2020)."""
    by_head = output.unflatten(1, (value.size(1), -1)).permute(1, 2, 0)  # [H, d_v, D]
    return (value @ by_head).norm(dim=-1)


def _hear_feed_forward(network: FeedForward, notes: Notes) -> None:
    site, layer = f"{network.stack}.ffn", network.layer
    _hear(network.module.get_submodule("outer"), lambda hidden, _: notes.add(f"{site}.hidden", layer, hidden))
    _hear(network.module, lambda _, output: notes.add(f"{site}.output", layer, output))
    _hear_sublayer(network.sublayer, site, layer, notes)


def _hear_sublayer(sublayer: nn.Module, site: str, layer: int, notes: Notes) -> None:
    """Notes a sub-layer's residual sum, and LayerNorm's result and statistics.

    Where LayerNorm comes last (post-norm) the sum is what it reads; else the sum is the sub-layer's result.
    """
    summed: list[Tensor] = []

    def normalised(x: Tensor, y: Tensor) -> None:
        norm = cast("nn.LayerNorm", sublayer.get_submodule("norm"))
        notes.add(f"{site}.norm", layer, y)
        notes.add(f"{site}.norm_mean", layer, x.mean(-1))
        notes.add(f"{site}.norm_std", layer, (x.var(-1, correction=0) + norm.eps).sqrt())
        summed[:] = [x, y]

    def left(_: Tensor, result: Tensor) -> None:
        last = len(summed) == 2 and summed[1] is result
        notes.add(f"{site}.residual", layer, summed[0] if last else result)

    if hasattr(sublayer, "norm"):
        _hear(sublayer.get_submodule("norm"), normalised)
    _hear(sublayer, left)


def _hear_embedding(stack: str, embedding: Embedding, notes: Notes) -> None:
    def placed(embedded: Tensor, result: Tensor) -> None:
        notes.add(f"{stack}.embedding", None, embedded)
        notes.add(f"{stack}.input", None, result)
        encoding = getattr(embedding.positions, "encoding", None)
        if isinstance(encoding, Tensor):
            notes.add(f"{stack}.position", None, encoding[None, : embedded.size(1)])

    _hear(embedding.positions, placed)
