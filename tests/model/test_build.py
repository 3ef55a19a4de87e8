"""The table of models and its settings."""

import pytest
from pydantic import TypeAdapter, ValidationError

from polyhead.model.build import MODELS, ModelConfig, build_model


@pytest.mark.parametrize("kind", MODELS)
def test_settings_find_their_model_by_kind(kind: str) -> None:
    settings = TypeAdapter(ModelConfig).validate_python({"kind": kind, "d_model": 16})
    assert settings.kind == kind
    model = build_model(settings, 20, 20)
    assert model.output_layer.weight.size(0) == 20


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(ModelConfig).validate_python({"kind": "perceptron"})
