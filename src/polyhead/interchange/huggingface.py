"""Hugging Face's format: MarianMTModel for post-norm models, PegasusForConditionalGeneration for pre-norm ones.

The two differ only in the place of the norms. In both, the first half of a position's vector holds all sines and the
second half all cosines, where section 3.5 of the paper alternates them; so the D dimensions change places in all
weights. The package transformers isn't needed to write the files.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from polyhead.bundle.bundle import Bundle
from polyhead.bundle.config import BundleConfig
from polyhead.files import atomic_file
from polyhead.interchange.card import nearest_penalty
from polyhead.interchange.reading import read_weights, transformer_config
from polyhead.interchange.vocabulary import write_json, write_marian_tokenizer
from polyhead.interchange.weights import AttentionWeights, LayerWeights, Map, StackWeights, TransformerWeights
from polyhead.model.config import TransformerConfig
from polyhead.symbols import EOS, PAD, SOS, UNK


def hugging_face_obstacles(config: BundleConfig) -> list[str]:
    """Every reason why neither Marian nor Pegasus can hold a model of these settings; none where one of them can."""
    model = config.model
    reasons: list[str] = []
    if config.tokenizer.kind == "word":
        reasons.append('tokenizer.kind = "word": MarianTokenizer makes one <unk> of several unknown words')
    if not isinstance(model, TransformerConfig):
        return [f'model.kind = "{model.kind}": Marian and Pegasus are Transformers', *reasons]
    if model.positions != "sinusoidal":
        reasons.append(f'model.positions = "{model.positions}": Marian and Pegasus add fixed sinusoids')
    if model.activation == "swiglu":
        reasons.append('model.activation = "swiglu": their feed-forward networks have no gate')
    if model.norm == "pre" and model.tie_embeddings != "all":
        reasons.append(
            f'model.norm = "pre" with model.tie_embeddings = "{model.tie_embeddings}": Pegasus, the pre-norm one, '
            "has one embedding for source, target and output"
        )
    return reasons


def write_hugging_face(bundle: Bundle, directory: Path) -> None:
    """Writes settings, `model.safetensors` and the tokenizer's files into `directory`, which exists."""
    config = transformer_config(bundle)
    halves = torch.arange(config.d_model)
    order = torch.cat([halves[0::2], halves[1::2]])
    tensors = dict(_tensors(read_weights(bundle).reordered(order), config))
    contiguous = {name: tensor.contiguous() for name, tensor in tensors.items()}
    with atomic_file(directory / "model.safetensors") as temporary:
        save_file(contiguous, temporary, {"format": "pt"})
    write_json(directory / "config.json", model_settings(bundle.config, config))
    write_json(directory / "generation_config.json", generation_settings(bundle))
    write_marian_tokenizer(bundle, directory)


def model_settings(bundle: BundleConfig, config: TransformerConfig) -> dict[str, Any]:
    """The content of the `config.json` that transformers reads."""
    marian = config.norm == "post"
    return {
        "architectures": ["MarianMTModel" if marian else "PegasusForConditionalGeneration"],
        "model_type": "marian" if marian else "pegasus",
        "dtype": "float32",
        "vocab_size": bundle.source_vocabulary,
        "decoder_vocab_size": bundle.target_vocabulary,
        "share_encoder_decoder_embeddings": config.tie_embeddings == "all",
        "tie_word_embeddings": config.tie_embeddings != "none",
        "d_model": config.d_model,
        "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers,
        "encoder_attention_heads": config.num_heads,
        "decoder_attention_heads": config.num_heads,
        "encoder_ffn_dim": config.d_ff,
        "decoder_ffn_dim": config.d_ff,
        "max_position_embeddings": config.max_length,
        "activation_function": config.activation,
        "dropout": config.dropout,
        "attention_dropout": config.attention_dropout,
        "activation_dropout": config.activation_dropout,
        "scale_embedding": True,
        "is_encoder_decoder": True,
        "pad_token_id": PAD,
        "bos_token_id": SOS,
        "eos_token_id": EOS,
        "decoder_start_token_id": SOS,
        "forced_eos_token_id": EOS,
    }


def generation_settings(bundle: Bundle) -> dict[str, Any]:
    """The content of `generation_config.json`: the model's own search settings, as far as `generate` has them."""
    search, tokenizer = bundle.config.decoding, bundle.target_tokenizer
    never = [PAD, SOS, *([] if search.allow_unknown else [UNK]), *map(tokenizer.tag, tokenizer.languages)]
    return {
        "num_beams": search.beam_size,
        "length_penalty": nearest_penalty(bundle),
        # "never" is transformers' name for our rule, to go on until no hypothesis can win; True is a patience of 1
        "early_stopping": "never" if search.patience is None else True,
        "no_repeat_ngram_size": search.no_repeat_ngram,
        "suppress_tokens": never,
        "max_length": min(bundle.config.model.max_length, search.max_length or bundle.config.model.max_length),
        "pad_token_id": PAD,
        "bos_token_id": SOS,
        "eos_token_id": EOS,
        "decoder_start_token_id": SOS,
        "forced_eos_token_id": EOS,
    }


def _tensors(weights: TransformerWeights, config: TransformerConfig) -> Iterator[tuple[str, Tensor]]:
    """Every tensor under its name in transformers; tied ones once, under the name that they are tied to."""
    if config.tie_embeddings == "all":
        yield "model.shared.weight", weights.encoder.tokens
    else:
        yield "model.encoder.embed_tokens.weight", weights.encoder.tokens
        yield "model.decoder.embed_tokens.weight", weights.decoder.tokens
    if config.tie_embeddings == "none":
        yield "lm_head.weight", weights.output
    yield "final_logits_bias", torch.zeros(1, len(weights.output))
    yield from _stack("model.encoder", weights.encoder)
    yield from _stack("model.decoder", weights.decoder)


def _stack(name: str, stack: StackWeights) -> Iterator[tuple[str, Tensor]]:
    for number, layer in enumerate(stack.layers):
        yield from _layer(f"{name}.layers.{number}", layer)
    if stack.norm is not None:
        yield from _map(f"{name}.layer_norm", stack.norm)


def _layer(name: str, layer: LayerWeights) -> Iterator[tuple[str, Tensor]]:
    yield from _attention(f"{name}.self_attn", layer.self_attention)
    if layer.cross_attention is not None:
        yield from _attention(f"{name}.encoder_attn", layer.cross_attention)
    yield from _map(f"{name}.fc1", layer.feed_forward.inner)
    yield from _map(f"{name}.fc2", layer.feed_forward.outer)
    yield from _map(f"{name}.final_layer_norm", layer.feed_forward.norm)


def _attention(name: str, attention: AttentionWeights) -> Iterator[tuple[str, Tensor]]:
    maps = {"q": attention.query, "k": attention.key, "v": attention.value, "out": attention.output}
    for part, each in maps.items():
        yield from _map(f"{name}.{part}_proj", each)
    yield from _map(f"{name}_layer_norm", attention.norm)


def _map(name: str, each: Map) -> Iterator[tuple[str, Tensor]]:
    yield f"{name}.weight", each.weight
    yield f"{name}.bias", each.bias
