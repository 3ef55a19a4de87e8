"""A trained encoder and decoder → the same with packed weights, compiled."""

import warnings
from typing import cast

import torch
from torch import nn

from polyhead.engine.attention import MemoryProjection, cross_attention, self_attention
from polyhead.engine.layers import (
    Normalisation,
    PreparedDecoder,
    PreparedDecoderLayer,
    PreparedEncoder,
    PreparedEncoderLayer,
    PreparedFeedForward,
    PreparedSwiGLU,
    Residual,
)
from polyhead.engine.projection import Activation, Pack, Projection
from polyhead.model.decoder import Decoder, DecoderLayer
from polyhead.model.encoder import Encoder, EncoderLayer
from polyhead.model.feed_forward import FeedForward, SwiGLU
from polyhead.model.sublayer import PostNorm, PreNorm


def compiled(module: nn.Module) -> nn.Module:
    """The module as TorchScript: a step's few hundred operations are called without Python, in a third of the time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # for torch.compile, which needs a compiler at run time
        return torch.jit.script(module)


def prepared_encoder(encoder: Encoder, pack: Pack) -> nn.Module:
    """A `PreparedEncoder`."""
    layers = [
        PreparedEncoderLayer(
            self_attention(layer.self_attention, pack),
            feed_forward(layer.feed_forward, pack),
            [residual(layer.self_attention_sublayer), residual(layer.feed_forward_sublayer)],
        )
        for layer in cast("list[EncoderLayer]", list(encoder.layers))
    ]
    return compiled(PreparedEncoder(layers, normalisation(encoder.norm)))


def prepared_decoder(decoder: Decoder, pack: Pack) -> tuple[nn.Module, list[MemoryProjection]]:
    """A `PreparedDecoder`, and what projects the memory for each of its layers."""
    layers: list[PreparedDecoderLayer] = []
    memories: list[MemoryProjection] = []
    for layer in cast("list[DecoderLayer]", list(decoder.layers)):
        across, memory = cross_attention(layer.cross_attention, pack)
        parts = (layer.self_attention_sublayer, layer.cross_attention_sublayer, layer.feed_forward_sublayer)
        network = feed_forward(layer.feed_forward, pack)
        residuals = [residual(part) for part in parts]
        layers.append(PreparedDecoderLayer(self_attention(layer.self_attention, pack), across, network, residuals))
        memories.append(memory)
    return compiled(PreparedDecoder(layers, normalisation(decoder.norm))), memories


ACTIVATIONS: dict[object, Activation] = {nn.functional.relu: "relu", nn.functional.gelu: "gelu"}


def has_prepared_form(layer: nn.Module) -> bool:
    """Whether this engine knows all parts of a layer: a new one may not have come here yet."""
    networks = [part for name, part in layer.named_children() if name == "feed_forward"]
    sublayers = [part for name, part in layer.named_children() if name.endswith("_sublayer")]
    known = [isinstance(part, SwiGLU) or _activation(part) is not None for part in networks]
    return all(known) and all(isinstance(part, PostNorm | PreNorm) for part in sublayers)


def feed_forward(module: nn.Module, pack: Pack) -> Projection:
    """A trained feed-forward network, packed. Raises TypeError for one without a prepared form."""

    def packed(linear: nn.Linear, activation: Activation = "none") -> Projection:
        return pack(linear.weight.detach(), linear.bias.detach(), activation)

    if isinstance(module, SwiGLU):
        return PreparedSwiGLU(packed(module.inner), packed(module.outer))
    activation = _activation(module)
    if isinstance(module, FeedForward) and activation is not None:
        return PreparedFeedForward(packed(module.inner, activation), packed(module.outer))
    raise TypeError(f"no prepared form of {type(module).__name__}")


def _activation(module: nn.Module) -> Activation | None:
    return ACTIVATIONS.get(module.activation) if isinstance(module, FeedForward) else None


def residual(module: nn.Module) -> Residual:
    """A trained residual sub-layer without its dropout. Raises TypeError for one without a prepared form."""
    if isinstance(module, PostNorm):
        return Residual(nn.Identity(), normalisation(module.norm))
    if isinstance(module, PreNorm):
        return Residual(normalisation(module.norm), nn.Identity())
    raise TypeError(f"no prepared form of {type(module).__name__}")


def normalisation(norm: nn.Module) -> nn.Module:
    """A LayerNorm, or nothing where the stack ends without one."""
    return Normalisation(norm) if isinstance(norm, nn.LayerNorm) else nn.Identity()
