"""What is said of a Transformer's weights without making it, against the one that is made."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import RecipeError
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig
from polyhead.model.shapes import Shape, check_sizes, transformer_shapes
from tests.model.conftest import choices

CHOICES = choices(TransformerConfig)
SMALL = {"encoder_layers": 2, "decoder_layers": 1, "d_model": 8, "d_ff": 12, "num_heads": 2, "max_length": 10}


def made(config: TransformerConfig, *vocabularies: int) -> dict[str, Shape]:
    return {name: tuple(each.shape) for name, each in build_model(config, *vocabularies).named_parameters()}


def outcome(make: Callable[..., dict[str, Shape]], *given: Any) -> dict[str, Shape] | str:
    """What it gives, or the error's words."""
    try:
        return make(*given)
    except RecipeError as error:
        return str(error)


def test_every_choice_is_among_those_looked_at() -> None:
    assert CHOICES.keys() == {"norm", "activation", "positions", "tie_embeddings"}


@pytest.mark.parametrize("values", list(itertools.product(*CHOICES.values())), ids="-".join)
def test_names_and_shapes_are_those_of_the_model(values: tuple[str, ...]) -> None:
    config = TransformerConfig.model_validate({**SMALL, **dict(zip(CHOICES, values, strict=True))})
    for vocabularies in [(23, 23)] if config.tie_embeddings == "all" else [(23, 23), (23, 17), (17, 23)]:
        assert transformer_shapes(config, *vocabularies) == made(config, *vocabularies)


@given(
    d_model=st.integers(2, 9),
    num_heads=st.integers(1, 4),
    source=st.integers(5, 6),
    target=st.integers(5, 6),
    tie=st.sampled_from(CHOICES["tie_embeddings"]),
)
def test_what_no_model_can_be_is_refused_in_the_same_words(
    d_model: int, num_heads: int, source: int, target: int, tie: str
) -> None:
    sizes = {"d_model": d_model, "num_heads": num_heads, "tie_embeddings": tie}
    config = TransformerConfig.model_validate({**SMALL, **sizes})
    assert outcome(transformer_shapes, config, source, target) == outcome(made, config, source, target)


@pytest.mark.parametrize(
    ("wrong", "vocabularies", "said"),
    [({"num_heads": 3}, (23, 23), "num_heads = 3"), ({"tie_embeddings": "all"}, (23, 17), "one shared vocabulary")],
)
def test_sizes_that_do_not_fit_together(wrong: dict[str, object], vocabularies: tuple[int, int], said: str) -> None:
    config = TransformerConfig.model_validate({**SMALL, **wrong})
    for make in (transformer_shapes, build_model):
        with pytest.raises(RecipeError, match=said):
            make(config, *vocabularies)


def test_a_table_of_positions_has_an_upper_bound() -> None:
    check_sizes(TransformerConfig(d_model=1024, max_length=8192), 10, 10)
    with pytest.raises(RecipeError, match="max_length = 8194 times"):
        check_sizes(TransformerConfig(d_model=1024, max_length=8194), 10, 10)
