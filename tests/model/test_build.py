"""The table of models and its settings."""

import typing

import pytest
from pydantic import TypeAdapter, ValidationError

from polyhead.config import Config
from polyhead.model.build import MODELS, build_model
from polyhead.model.config import ModelConfig


@pytest.mark.parametrize("kind", MODELS)
def test_settings_find_their_model_by_kind(kind: str) -> None:
    settings = TypeAdapter(ModelConfig).validate_python({"kind": kind})
    assert type(settings) is typing.get_type_hints(MODELS[kind])["config"]
    assert settings.kind == kind


def test_a_model_has_the_sizes_that_its_settings_name(variant: Config) -> None:
    model = build_model(variant, 20, 20)
    assert model.output_layer.weight.shape == (20, 16)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(ModelConfig).validate_python({"kind": "perceptron"})
