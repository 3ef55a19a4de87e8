"""Translators of every kind with random weights, made in milliseconds: what is looked into need not translate well."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from polyhead.decoding.config import BeamConfig
from polyhead.model.config import RNNAttentionConfig, RNNConfig, TransformerConfig
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.translating.translator import Translator
from tests.small import small_bundle

SIZES: dict[str, Any] = {
    "d_model": 16,
    "d_ff": 24,
    "num_heads": 4,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "max_length": 40,
}
RECURRENT: dict[str, Any] = {"d_model": 16, "hidden_size": 16, "num_layers": 2, "max_length": 40}
TRANSFORMERS = {
    "paper": TransformerConfig(**SIZES),
    "pre-norm": TransformerConfig(**SIZES, norm="pre"),
    "concatenated positions": TransformerConfig(**SIZES, positions="sinusoidal-concat", activation="gelu"),
    "learned positions": TransformerConfig(**SIZES, positions="learned", tie_embeddings="output", norm="pre"),
    "no positions": TransformerConfig(**SIZES, positions="none", activation="swiglu", tie_embeddings="none"),
}
RECURRENTS = {
    "rnn": RNNConfig(**RECURRENT),
    "rnn with attention": RNNAttentionConfig(**RECURRENT),
    "gru with attention": RNNAttentionConfig(**RECURRENT, cell="gru", bidirectional=False, tie_embeddings="all"),
}
KINDS = {**TRANSFORMERS, **RECURRENTS}


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """Pieces of a toy language, with tags for xb and xc."""
    return small_bundle(KINDS["paper"]).target_tokenizer


@pytest.fixture
def translator_of() -> Callable[[str], Translator]:
    """Name of a kind → a translator of it, from xa into xb and xc."""

    def make(kind: str) -> Translator:
        bundle = small_bundle(KINDS[kind], longest_source=None, decoding=BeamConfig(beam_size=3, max_length_offset=4))
        torch.manual_seed(1)
        with torch.no_grad():
            for parameter in bundle.model.parameters():
                parameter.add_(torch.randn_like(parameter), alpha=0.1)  # off zero biases and unit gains
        return Translator(bundle)

    return make


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `kind` runs on all of them, one that asks for `transformer` on the Transformers."""
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize("kind", KINDS)
    if "transformer" in metafunc.fixturenames:
        metafunc.parametrize("transformer", TRANSFORMERS)
