"""Small Transformers with no weight at its initial value, in every choice that the prepared engine must follow."""

import itertools
from typing import Any

import pytest
import torch

from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig
from polyhead.model.transformer import Transformer

VOCABULARY = 23
CHOICES = {
    "norm": ("post", "pre"),
    "activation": ("relu", "gelu", "swiglu"),
    "positions": ("sinusoidal", "sinusoidal-concat", "learned", "none"),
    "tie_embeddings": ("all", "none"),
}


def make(**settings: Any) -> Transformer:
    """A model in eval mode; settings change its small defaults."""
    torch.manual_seed(1)
    small = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 16, "d_ff": 24, "num_heads": 4, "max_length": 80}
    model = build_model(TransformerConfig.model_validate({**small, **settings}), VOCABULARY, VOCABULARY)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.2)
    assert isinstance(model, Transformer)
    return model.eval()


@pytest.fixture(params=[(name, value) for name, values in CHOICES.items() for value in values], ids="=".join)
def model(request: pytest.FixtureRequest) -> Transformer:
    """One model for every value of every choice."""
    name, value = request.param
    return make(**{name: value})


@pytest.fixture(params=list(itertools.product(("post", "pre"), ("relu", "swiglu"))), ids="-".join)
def varied(request: pytest.FixtureRequest) -> Transformer:
    """The few that differ most."""
    return make(norm=request.param[0], activation=request.param[1])
