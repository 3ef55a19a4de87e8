"""The models under test: every pair of the choices that a model's settings offer, found in its settings class.

A new model in `MODELS`, and a new value of a choice (a position, a norm, an activation …), is tested on arrival.
"""

import itertools
import typing
from typing import Any, Literal

import pytest
import torch
from torch import nn

from polyhead.config import Config
from polyhead.model.build import MODELS, build_model
from polyhead.model.seq2seq import Seq2SeqModel

VOCABULARY = 23
SMALL = {
    "d_model": 16,
    "hidden_size": 16,
    "d_ff": 24,
    "num_heads": 4,
    "num_layers": 2,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "max_length": 24,
    "dropout": 0.0,
}


def config_class(kind: str) -> type[Config]:
    """The settings of a kind of model: what its builder takes first."""
    return typing.get_type_hints(MODELS[kind])["config"]


def choices(cls: type[Config]) -> dict[str, tuple[Any, ...]]:
    """Field → its possible values, for every field that chooses among a few."""
    found: dict[str, tuple[Any, ...]] = {}
    for name, field in cls.model_fields.items():
        if typing.get_origin(field.annotation) is Literal and name != "kind":
            found[name] = typing.get_args(field.annotation)
        elif field.annotation is bool:
            found[name] = (True, False)
    return found


def variants() -> dict[str, Config]:
    """Name → settings, for every model with at most two of its choices moved off their defaults: so each with each."""
    found: dict[str, Config] = {}
    for kind in MODELS:
        cls = config_class(kind)
        sizes = {name: size for name, size in SMALL.items() if name in cls.model_fields}
        options = choices(cls)
        for values in itertools.product(*options.values()):
            chosen = dict(zip(options, values, strict=True))
            moved = {name: value for name, value in chosen.items() if value != cls.model_fields[name].default}
            if len(moved) <= 2:
                name = "-".join([kind, *(f"{name}={value}" for name, value in moved.items())])
                found[name] = cls(**sizes, **chosen)
    return found


VARIANTS = variants()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Gives each test that asks for a `variant` all of them."""
    if "variant" in metafunc.fixturenames:
        metafunc.parametrize("variant", VARIANTS.values(), ids=VARIANTS.keys())


def roughen(model: nn.Module) -> None:
    """Moves every weight off its initial value, so that a bias or a scale forgotten somewhere shows."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.1)


@pytest.fixture
def model(variant: Config) -> Seq2SeqModel:
    """The variant, with no weight at its initial value, as it translates."""
    model = build_model(variant, VOCABULARY, VOCABULARY)
    roughen(model)
    return model.eval()
