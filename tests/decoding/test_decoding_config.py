"""What the settings accept."""

import pytest
from pydantic import ValidationError

from polyhead.decoding.config import BeamConfig, GreedyConfig, SamplingConfig, SearchConfig


def test_the_papers_values() -> None:
    config = BeamConfig()
    assert (config.length_penalty, config.max_length_ratio, config.max_length_offset) == (0.6, 1.0, 50)


def test_more_results_than_places_is_an_error() -> None:
    with pytest.raises(ValidationError, match=r"n_best \(4\) is above beam_size \(3\)"):
        BeamConfig(beam_size=3, n_best=4)


def test_a_negative_alpha_would_break_the_early_stop() -> None:
    with pytest.raises(ValidationError):
        BeamConfig(length_penalty=-0.1)


def test_average_is_a_length_penalty() -> None:
    assert GreedyConfig(length_penalty="average").length_penalty == "average"


@pytest.mark.parametrize("values", [{"temperature": 0}, {"top_p": 0}, {"top_p": 1.1}, {"top_k": -1}, {"beam_size": 2}])
def test_senseless_sampling_is_an_error(values: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        SamplingConfig.model_validate(values)


@pytest.mark.parametrize("config", [SearchConfig, GreedyConfig, BeamConfig, SamplingConfig])
def test_every_field_is_documented(config: type[SearchConfig]) -> None:
    assert all(field.description for field in config.model_fields.values())
