"""The table of models: settings and a builder for every `model.kind`."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from polyhead.config import Config
from polyhead.model.rnn import RNNConfig, build_rnn
from polyhead.model.rnn_attention import RNNAttentionConfig, build_rnn_attention
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.model.transformer import PRESETS, TransformerConfig, build_transformer

__all__ = ["CONFIGS", "MODELS", "PRESETS", "ModelConfig", "build_model"]

ModelConfig = Annotated[TransformerConfig | RNNConfig | RNNAttentionConfig, Field(discriminator="kind")]
CONFIGS: dict[str, type[Config]] = {
    "transformer": TransformerConfig,
    "rnn": RNNConfig,
    "rnn-attention": RNNAttentionConfig,
}
"""`model.kind` → its settings."""
MODELS: dict[str, Callable[[Any, int, int], Seq2SeqModel[Any]]] = {
    "transformer": build_transformer,
    "rnn": build_rnn,
    "rnn-attention": build_rnn_attention,
}
"""`model.kind` → builder of (config, source vocabulary, target vocabulary)."""


def build_model(config: ModelConfig, source_vocabulary: int, target_vocabulary: int) -> Seq2SeqModel[Any]:
    """A freshly initialised model of the kind that the config names.

    Raises RecipeError where the sizes don't fit together.
    """
    return MODELS[config.kind](config, source_vocabulary, target_vocabulary)
