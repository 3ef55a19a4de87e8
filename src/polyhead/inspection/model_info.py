"""A model in a few numbers, for people who choose one or look at its map."""

from typing import Any

from polyhead.bundle.config import BundleConfig
from polyhead.model.config import TransformerConfig


def model_info(config: BundleConfig, parameters: int | None = None) -> dict[str, Any]:
    """The sizes and languages of a model directory's settings; None for what its kind doesn't have.

    parameters: how many weights it has, where they have been read.
    """
    model = config.model
    return {
        "kind": model.kind,
        "source": config.source_language,
        "targets": list(config.target_languages),
        "tagged": config.tagged,
        **_sizes(config),
        "d_model": model.d_model,
        "vocabulary": {"source": config.source_vocabulary, "target": config.target_vocabulary},
        "max_length": model.max_length,
        "longest_source": config.longest_source,
        "tie_embeddings": model.tie_embeddings,
        "parameters": parameters,
        "has_attention": model.kind != "rnn",
    }


def _sizes(config: BundleConfig) -> dict[str, Any]:
    model = config.model
    if isinstance(model, TransformerConfig):
        names = ("encoder_layers", "decoder_layers", "d_ff", "norm", "positions", "activation")
        return {**{name: getattr(model, name) for name in names}, "heads": model.num_heads}
    return {
        "encoder_layers": model.num_layers,
        "decoder_layers": model.num_layers,
        "d_ff": None,
        "norm": None,
        "positions": None,
        "activation": None,
        "heads": 1 if model.kind == "rnn-attention" else None,
    }
