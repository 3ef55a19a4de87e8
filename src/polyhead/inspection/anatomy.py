"""Where the parts of a model are: its attentions and feed-forward networks, by the names that a trace gives them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from torch import nn

from polyhead.inspection.names import Site
from polyhead.model.attention import MultiHeadAttention
from polyhead.model.decoder import DecoderLayer
from polyhead.model.encoder import EncoderLayer
from polyhead.model.rnn_attention import DotProductAttention, RNNAttention
from polyhead.model.transformer import Transformer


@dataclass(frozen=True)
class Attention:
    """One attention of a model: a module with a `core` and, but for the RNN's, an `output` map W^O."""

    site: Site
    layer: int
    module: MultiHeadAttention | DotProductAttention
    sublayer: nn.Module | None
    """The residual connection and LayerNorm around the attention; None where there is no such sub-layer."""
    divided: bool = True
    """Whether its scores are divided by √d_k. An RNN's are not: it multiplies its queries so that the core's division
    is undone."""

    @property
    def heads(self) -> int:
        """The number of heads H."""
        return self.module.num_heads if isinstance(self.module, MultiHeadAttention) else 1


@dataclass(frozen=True)
class FeedForward:
    """One feed-forward network and its sub-layer."""

    stack: Literal["encoder", "decoder"]
    layer: int
    module: nn.Module
    sublayer: nn.Module


def attentions(model: nn.Module) -> list[Attention]:
    """Every attention, site by site and layer by layer; empty for a model without attention."""
    if isinstance(model, RNNAttention):
        return [Attention("decoder.cross", 0, model.cross_attention, None, divided=False)]
    if not isinstance(model, Transformer):
        return []
    reading: list[Attention] = []
    writing: list[Attention] = []
    looking: list[Attention] = []
    for n, layer in enumerate(_encoder_layers(model)):
        reading.append(Attention("encoder.self", n, layer.self_attention, layer.self_attention_sublayer))
    for n, layer in enumerate(_decoder_layers(model)):
        writing.append(Attention("decoder.self", n, layer.self_attention, layer.self_attention_sublayer))
        looking.append(Attention("decoder.cross", n, layer.cross_attention, layer.cross_attention_sublayer))
    return [*reading, *writing, *looking]


def feed_forwards(model: Transformer) -> Iterator[FeedForward]:
    """Every feed-forward network, the encoder's first."""
    for n, layer in enumerate(_encoder_layers(model)):
        yield FeedForward("encoder", n, layer.feed_forward, layer.feed_forward_sublayer)
    for n, layer in enumerate(_decoder_layers(model)):
        yield FeedForward("decoder", n, layer.feed_forward, layer.feed_forward_sublayer)


def _encoder_layers(model: Transformer) -> list[EncoderLayer]:
    return cast("list[EncoderLayer]", list(model.encoder.layers))


def _decoder_layers(model: Transformer) -> list[DecoderLayer]:
    return cast("list[DecoderLayer]", list(model.decoder.layers))
