"""Translators of every kind with random weights, made in milliseconds: what is looked into need not translate well."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from polyhead.bundle import Bundle, BundleConfig
from polyhead.decoding.config import BeamConfig
from polyhead.model.build import build_model
from polyhead.model.rnn import RNNConfig
from polyhead.model.rnn_attention import RNNAttentionConfig
from polyhead.model.transformer import TransformerConfig
from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.translator import Translator

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
    texts = ["bado kilu mera noti pasu", "rovi sela tugo vani zeko", "fimo gura hepi jola wuto"]
    return train(texts, TokenizerConfig(), 330, ["xb", "xc"])


@pytest.fixture
def translator_of(tokenizer: Tokenizer) -> Callable[[str], Translator]:
    """Name of a kind → a translator of it, from xa into xb and xc."""

    def make(kind: str) -> Translator:
        size = tokenizer.vocabulary_size
        config = BundleConfig(
            polyhead="0",
            source_language="xa",
            target_languages=("xb", "xc"),
            tagged=True,
            source_vocabulary=size,
            target_vocabulary=size,
            model=KINDS[kind],
            tokenizer=tokenizer.config,
            decoding=BeamConfig(beam_size=3, max_length_offset=4),
        )
        torch.manual_seed(1)
        model = build_model(config.model, size, size)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(torch.randn_like(parameter), alpha=0.1)  # off zero biases and unit gains
        return Translator(Bundle(config, model.eval(), tokenizer, tokenizer))

    return make


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `kind` runs on all of them, one that asks for `transformer` on the Transformers."""
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize("kind", KINDS)
    if "transformer" in metafunc.fixturenames:
        metafunc.parametrize("transformer", TRANSFORMERS)
