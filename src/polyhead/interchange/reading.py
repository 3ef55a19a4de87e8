"""From a loaded model directory to `TransformerWeights`, by the names that weights have in `model.safetensors`."""

from collections.abc import Mapping

import torch
from torch import Tensor

from polyhead.bundle.bundle import Bundle
from polyhead.errors import ModelError
from polyhead.interchange.weights import (
    AttentionWeights,
    FeedForwardWeights,
    LayerWeights,
    Map,
    StackWeights,
    TransformerWeights,
)
from polyhead.model.config import TransformerConfig
from polyhead.model.positions import positional_encoding


def transformer_config(bundle: Bundle) -> TransformerConfig:
    """The settings of a bundle's Transformer. Raises ModelError where it holds another model."""
    config = bundle.config.model
    if not isinstance(config, TransformerConfig):
        raise ModelError(f"a model of kind {config.kind} is no Transformer")
    return config


def read_weights(bundle: Bundle) -> TransformerWeights:
    """The weights of a bundle's Transformer. Raises ModelError where it holds another model."""
    config = transformer_config(bundle)
    parameters = dict(bundle.model.named_parameters(remove_duplicate=False))
    tensors = {id(parameter): parameter.detach() for parameter in parameters.values()}  # a tied one stays one tensor
    named = {name: tensors[id(parameter)] for name, parameter in parameters.items()}
    return TransformerWeights(
        _stack(named, config, "source_embedding", "encoder", config.encoder_layers),
        _stack(named, config, "target_embedding", "decoder", config.decoder_layers),
        named["output.weight"],
    )


Named = Mapping[str, Tensor]


def _stack(named: Named, config: TransformerConfig, embedding: str, stack: str, layers: int) -> StackWeights:
    tokens, positions = _tables(named, config, embedding)
    names = [f"{stack}.layers.{number}" for number in range(layers)]
    norm = _map(named, f"{stack}.norm") if config.norm == "pre" else None
    return StackWeights(tokens, positions, tuple(_layer(named, config, name) for name in names), norm)


def _tables(named: Named, config: TransformerConfig, embedding: str) -> tuple[Tensor, Tensor]:
    """Token vectors [V, D] and position vectors [L, D] that need only be added, whatever the kind of positions."""
    tokens = named[f"{embedding}.tokens.weight"]
    sinusoids = positional_encoding(config.max_length, config.d_model)
    match config.positions:
        case "sinusoidal":
            return tokens, sinusoids
        case "sinusoidal-concat":  # [√D·x ; PE] W + b = √D·(x W_x) + (PE W_p + b): each half is a table of its own
            merge = _map(named, f"{embedding}.positions.merge")
            of_token, of_position = merge.weight.chunk(2, dim=1)
            return tokens @ of_token.T, sinusoids @ of_position.T + merge.bias
        case "learned":
            return tokens, named[f"{embedding}.positions.encoding"]
        case "none":
            return tokens, torch.zeros_like(sinusoids)


def _layer(named: Named, config: TransformerConfig, name: str) -> LayerWeights:
    inner = _map(named, f"{name}.feed_forward.inner")
    gate = None
    if config.activation == "swiglu":  # W and V are one matrix [2·F, D]
        gate, inner = inner.rows(slice(config.d_ff)), inner.rows(slice(config.d_ff, None))
    outer, norm = _map(named, f"{name}.feed_forward.outer"), _map(named, f"{name}.feed_forward_sublayer.norm")
    cross = f"{name}.cross_attention"
    return LayerWeights(
        _attention(named, f"{name}.self_attention"),
        _attention(named, cross) if f"{cross}.output.weight" in named else None,
        FeedForwardWeights(inner, gate, outer, norm),
    )


def _attention(named: Named, name: str) -> AttentionWeights:
    fused = _map(named, f"{name}.query_key_value")  # W^Q, W^K and W^V are one matrix [3·D, D]
    d_model = fused.weight.size(1)
    query, key, value = (fused.rows(slice(part * d_model, (part + 1) * d_model)) for part in range(3))
    return AttentionWeights(query, key, value, _map(named, f"{name}.output"), _map(named, f"{name}_sublayer.norm"))


def _map(named: Named, name: str) -> Map:
    return Map(named[f"{name}.weight"], named[f"{name}.bias"])
