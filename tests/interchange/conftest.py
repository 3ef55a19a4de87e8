"""Small bundles of every kind that can be exported, with random weights."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import polyhead
from polyhead.bundle.bundle import Bundle
from polyhead.bundle.config import BundleConfig
from polyhead.decoding.config import BeamConfig
from polyhead.model.build import build_model
from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig

MODEL = {
    "kind": "transformer", "encoder_layers": 2, "decoder_layers": 3, "d_model": 12, "d_ff": 20, "num_heads": 2,
    "max_length": 30,
}  # fmt: skip
KINDS = [
    {},
    {"norm": "pre"},
    {"activation": "gelu", "tie_embeddings": "none"},
    {"activation": "swiglu", "norm": "pre"},
    {"positions": "learned"},
    {"positions": "none", "decoder_layers": 1},
    {"positions": "sinusoidal-concat"},
    {"tie_embeddings": "output"},
]
TEXTS = ["bado kilu mera", "noti pasu rovi sela", "tugo vani", "zeko fimo gura hepi jola wuto 안녕"] * 4


@pytest.fixture(params=KINDS, ids=lambda kind: "-".join(map(str, kind.values())) or "paper")
def kind(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Settings of a Transformer, one of each sort."""
    return request.param


@pytest.fixture
def make_bundle() -> Callable[..., Bundle]:
    """`make_bundle(norm="pre")` → a bundle with random weights, biases and norms included."""

    def make(*, languages: tuple[str, ...] = (), tokenizer: str = "bpe", shared: bool = True, **model: Any) -> Bundle:
        settings = TokenizerConfig(kind=tokenizer, shared=shared)
        source = train(TEXTS, settings, 300, languages)
        target = source if shared else train([text.upper() for text in TEXTS], settings, 280)
        config = BundleConfig(
            polyhead=polyhead.__version__, source_language="xa", target_languages=languages or ("xb",),
            tagged=len(languages) > 1, source_vocabulary=source.vocabulary_size,
            target_vocabulary=target.vocabulary_size, tokenizer=settings,
            model=model if "kind" in model else {**MODEL, **model},
            decoding=BeamConfig(beam_size=3, length_penalty="average", max_length_ratio=0, max_length_offset=12),
        )  # fmt: skip
        built = build_model(config.model, source.vocabulary_size, target.vocabulary_size).eval()
        with torch.no_grad():
            for parameter in built.parameters():
                parameter.add_(torch.randn_like(parameter) * 0.3)
        return Bundle(config, built, source, target)

    return make
