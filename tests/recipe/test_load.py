"""From TOML and command-line keys to a checked recipe."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import pytest
import tomli_w
import torch
from pydantic import BaseModel

from polyhead.data.statistics import CorpusStatistics
from polyhead.errors import RecipeError
from polyhead.recipe.defaults import complete
from polyhead.recipe.load import CAN_BE_NONE, make_recipe, merge, parse_keys, read_toml
from polyhead.recipe.record import as_values
from polyhead.recipe.schema import Recipe

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))
CORPUS = CorpusStatistics(30_000, 30_000, 100, 400_000, 400_000)
DATA = {"data": {"train": [{"kind": "lines", "source": "a", "target": "b"}]}}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_recipes_that_come_along_are_valid(path):
    values = read_toml(path)
    make_recipe(values)
    recipe = make_recipe(complete(values, CORPUS, torch.device("cpu"))[0])
    assert recipe.out == Path("runs") / path.stem
    assert recipe.data.train


def test_there_are_recipes():
    assert RECIPES


def test_keys_are_values_of_toml_or_text():
    words = ["--model.d-model", "128", "--training.seed=3", "--data.root", "2024-01-01", "--out=a b", "--x.y=[1, 2]"]
    assert parse_keys(words) == {
        "model": {"d_model": 128},
        "training": {"seed": 3},
        "data": {"root": "2024-01-01"},
        "out": "a b",
        "x": {"y": [1, 2]},
    }
    assert parse_keys(["--a=true", "--b=1e-3", "--c=-1", "--d=none", "--e=--f"]) == {
        "a": True, "b": 1e-3, "c": -1, "d": "none", "e": "--f",
    }  # fmt: skip


@pytest.mark.parametrize("words", [["seed"], ["--seed"], ["--a", "1", "2"], ["--a=1", "--a.b=2"]])
def test_words_that_are_no_keys(words):
    with pytest.raises(RecipeError):
        parse_keys(words)


def test_the_upper_table_wins_key_by_key():
    assert merge({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 9}, "d": {"e": 4}}) == {
        "a": {"b": 9, "c": 2},
        "d": {"e": 4},
    }


def test_presets_are_sizes_that_keys_may_change():
    recipe = make_recipe({**DATA, "model": {"preset": "tiny", "decoder_layers": 1}})
    assert (recipe.model.encoder_layers, recipe.model.decoder_layers, recipe.model.d_model) == (4, 1, 128)


def test_wrong_keys_are_listed_with_the_nearest_right_ones():
    values = {**DATA, "modle": {}, "training": {"max_update": 3, "optimizer": {"beta3": 1}}}
    with pytest.raises(RecipeError) as caught:
        make_recipe(values)
    said = str(caught.value)
    assert "modle: there is no such key; did you mean 'model'?" in said
    assert "training.max_update: there is no such key; did you mean 'max_updates'?" in said
    assert "training.optimizer.beta3: there is no such key; did you mean 'beta" in said


def test_what_is_wrong_with_a_value_is_said_with_the_value():
    with pytest.raises(RecipeError, match="^seed = 'x': Input should be a valid integer"):
        make_recipe({**DATA, "seed": "x"})


def test_of_very_many_wrong_keys_the_first_are_listed_and_the_others_counted():
    with pytest.raises(RecipeError, match=r"key0: there is no such key.*; and 99[0-9] more$") as caught:
        make_recipe({**DATA, **{f"key{number}": 1 for number in range(1000)}})
    assert len(str(caught.value)) < 300


def test_a_number_may_be_unset_by_none():
    recipe = make_recipe({**DATA, "training": {"patience": "none"}, "threads": "none"})
    assert recipe.training.patience is None
    assert recipe.threads is None
    with pytest.raises(RecipeError, match="max_updates"):
        make_recipe({**DATA, "training": {"max_updates": "none"}})


def optional_numbers(model: type[BaseModel]) -> Iterator[str]:
    """Every key of a recipe whose value is a number or None."""
    for name, field in model.model_fields.items():
        for annotation in annotations(field.annotation):
            if isinstance(annotation, type) and issubclass(annotation, BaseModel):
                yield from optional_numbers(annotation)
        parts = set(annotations(field.annotation))
        if NoneType in parts and parts & {int, float} and "column" not in name:
            yield name


def annotations(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in get_args(annotation):
        yield from annotations(part)


def test_every_optional_number_can_be_unset():
    assert set(optional_numbers(Recipe)) <= CAN_BE_NONE


def test_a_recorded_recipe_reads_back_the_same():
    values = {**DATA, "data": {**DATA["data"], "cleaning": {"max_words": "none"}}, "training": {"patience": "none"}}
    recipe = make_recipe(values)
    recorded = tomllib.loads(tomli_w.dumps(as_values(recipe)))
    assert make_recipe(recorded) == recipe
    assert make_recipe(complete(recorded, CORPUS, torch.device("cpu"))[0]).training.patience is None


@pytest.mark.parametrize("wrong", [{"model": 3}, {"data": []}, {"training": {"schedule": 1}}, {"tokenizer": None}])
def test_values_that_are_no_tables(wrong):
    with pytest.raises(RecipeError):
        make_recipe({**DATA, **wrong})
