"""The table of models: a builder for every `model.kind`."""

from collections.abc import Callable
from typing import Any

from polyhead.model.config import ModelConfig
from polyhead.model.rnn import build_rnn
from polyhead.model.rnn_attention import build_rnn_attention
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.model.transformer import build_transformer

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
