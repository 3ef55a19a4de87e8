import pytest
import torch

from polyhead.errors import RecipeError
from polyhead.model.config import RNNAttentionConfig, RNNConfig, TransformerConfig
from polyhead.recipe import room
from polyhead.recipe.room import check_room

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    "config",
    [
        TransformerConfig(d_model=65_536, num_heads=4096, max_length=128),
        TransformerConfig(d_model=4096, d_ff=262_144, encoder_layers=1000, max_length=512),
        RNNConfig(d_model=65_536, hidden_size=65_536, num_layers=10),
        RNNAttentionConfig(d_model=65_536, hidden_size=65_536, num_layers=10),
    ],
)
def test_a_model_beyond_any_memory_is_refused_before_it_is_made(config: TransformerConfig) -> None:
    with pytest.raises(RecipeError, match="parameters and takes") as caught:
        check_room(config, CPU)
    assert len(str(caught.value)) < 290


def test_vocabularies_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "usable_memory", lambda: 200_000_000)
    check_room(TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=64, d_ff=64), CPU, 30_000, 30_000)
    with pytest.raises(RecipeError, match="vocabulary"):
        check_room(TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=64, d_ff=64), CPU, 900_000, 900_000)


def test_training_keeps_three_numbers_a_weight_where_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    config = TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=64, d_ff=64)
    monkeypatch.setattr(room, "usable_memory", lambda: 800_000)
    check_room(config, torch.device("cuda"))
    with pytest.raises(RecipeError):
        check_room(config, CPU)


def test_a_model_that_is_divided_needs_room_for_its_weights_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    config = TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=64, d_ff=64)
    monkeypatch.setattr(room, "usable_memory", lambda: 800_000)
    check_room(config, CPU, divided=True)


def test_a_system_that_does_not_tell_its_memory_takes_every_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "usable_memory", lambda: None)
    check_room(TransformerConfig(d_model=65_536, num_heads=4096, max_length=128), CPU)


def test_sizes_that_do_not_fit_together_are_refused_without_vocabularies() -> None:
    with pytest.raises(RecipeError, match="not divisible"):
        check_room(TransformerConfig(d_model=100, num_heads=3), CPU)
