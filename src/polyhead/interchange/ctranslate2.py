"""CTranslate2's format: `model.bin` and vocabularies, written through its own specification classes."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from polyhead.bundle.bundle import Bundle
from polyhead.bundle.config import BundleConfig
from polyhead.errors import ModelError
from polyhead.interchange.reading import read_weights, transformer_config
from polyhead.interchange.vocabulary import pieces, write_sentencepiece
from polyhead.interchange.weights import AttentionWeights, FeedForwardWeights, Map, StackWeights
from polyhead.model.config import TransformerConfig
from polyhead.symbols import EOS_PIECE, SOS_PIECE, UNK_PIECE

ACTIVATIONS = {"relu": "RELU", "gelu": "GELU", "swiglu": "SWISH"}
"""`model.activation` → CTranslate2's name; SwiGLU is its gated network with Swish."""


def ctranslate2_obstacles(config: BundleConfig) -> list[str]:
    """Every reason why CTranslate2 cannot run a model of these settings; empty where it can."""
    if not isinstance(config.model, TransformerConfig):
        return [f'model.kind = "{config.model.kind}": CTranslate2 runs Transformers, no recurrent models']
    return []


def write_ctranslate2(bundle: Bundle, directory: Path) -> None:
    """Writes `model.bin`, `config.json`, the vocabularies and the sentencepiece models into `directory`, which exists.

    Raises ModelError where the package ctranslate2 is not installed.
    """
    spec = _specification(bundle)
    spec.register_source_vocabulary(pieces(bundle.source_tokenizer))
    spec.register_target_vocabulary(pieces(bundle.target_tokenizer))
    config = spec.config
    config.unk_token, config.bos_token, config.eos_token = UNK_PIECE, SOS_PIECE, EOS_PIECE
    config.decoder_start_token, config.add_source_bos, config.add_source_eos = SOS_PIECE, False, True
    spec.validate()
    spec.optimize()  # tied weights become one
    spec.save(str(directory))
    write_sentencepiece(bundle, directory)


def _specification(bundle: Bundle) -> Any:
    """The filled-in `TransformerSpec`; `Any`, as ctranslate2 is optional and untyped."""
    specs = _ctranslate2().specs
    config, weights = transformer_config(bundle), read_weights(bundle)
    site = max(0, config.decoder_layers - 2)
    spec = specs.TransformerSpec.from_config(
        (config.encoder_layers, config.decoder_layers),
        config.num_heads,
        pre_norm=config.norm == "pre",
        activation=specs.Activation[ACTIVATIONS[config.activation]],
        ffn_glu=config.activation == "swiglu",
        alignment_layer=site,  # the layer that our own word alignments are read from, all its heads
        alignment_heads=config.num_heads,
    )
    _fill_stack(spec.encoder, spec.encoder.embeddings[0], weights.encoder)
    _fill_stack(spec.decoder, spec.decoder.embeddings, weights.decoder)
    spec.decoder.projection.weight = _array(weights.output)
    return spec


def _fill_stack(spec: Any, embeddings: Any, stack: StackWeights) -> None:
    embeddings.weight = _array(stack.tokens)
    spec.scale_embeddings = True
    spec.position_encodings.encodings = _array(stack.positions)
    if stack.norm is not None:
        _fill_norm(spec.layer_norm, stack.norm)
    for layer_spec, layer in zip(spec.layer, stack.layers, strict=True):
        own = layer.self_attention
        _fill_attention(layer_spec.self_attention, own, [[own.query, own.key, own.value], [own.output]])
        if layer.cross_attention is not None:
            cross = layer.cross_attention
            _fill_attention(layer_spec.attention, cross, [[cross.query], [cross.key, cross.value], [cross.output]])
        _fill_feed_forward(layer_spec.ffn, layer.feed_forward)


def _fill_attention(spec: Any, attention: AttentionWeights, products: Sequence[Sequence[Map]]) -> None:
    """Fills in an attention. products: for each of CTranslate2's matrix products, the maps that it computes at once."""
    for linear, maps in zip(spec.linear, products, strict=True):
        fused = Map(torch.cat([each.weight for each in maps]), torch.cat([each.bias for each in maps]))
        _fill_linear(linear, fused)
    _fill_norm(spec.layer_norm, attention.norm)


def _fill_feed_forward(spec: Any, weights: FeedForwardWeights) -> None:
    """Fills in a feed-forward network. `linear_0` is activated: the gate if there is one, which multiplies `inner`."""
    _fill_linear(spec.linear_0, weights.inner if weights.gate is None else weights.gate)
    if weights.gate is not None:
        _fill_linear(spec.linear_0_noact, weights.inner)
    _fill_linear(spec.linear_1, weights.outer)
    _fill_norm(spec.layer_norm, weights.norm)


def _fill_linear(spec: Any, linear: Map) -> None:
    spec.weight, spec.bias = _array(linear.weight), _array(linear.bias)


def _fill_norm(spec: Any, norm: Map) -> None:
    spec.gamma, spec.beta = _array(norm.weight), _array(norm.bias)


def _array(tensor: Tensor) -> Any:
    return tensor.float().contiguous().numpy()


def _ctranslate2() -> Any:
    try:
        return import_module("ctranslate2")
    except ImportError as error:
        raise ModelError(
            "writing CTranslate2's format needs the package ctranslate2: pip install 'polyhead[export]'"
        ) from error
