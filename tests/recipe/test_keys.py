"""The list of all keys, against the recipes that it describes."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from polyhead.model.config import PRESETS
from polyhead.recipe.decisions import SOME_DATA
from polyhead.recipe.keys import IMPLIED_KIND, Key, Table, chosen_keys, tables
from polyhead.recipe.load import CAN_BE_NONE, make_recipe, merge, parse_keys, parse_value
from polyhead.recipe.schema import Recipe

TABLES = tables()
KEYS = [pytest.param(table, key, id=f"{table.kind or ''} {key.name}") for table in TABLES for key in table.keys]
SAMPLES = {"text": "en", "path": "a.txt", "integer ≥ 0 and < 10,000": "1", "list of text and text": '["en", "ko"]'}
"""What a key takes → a value for it, where it is unset."""


def leaves(annotation: Any, name: str) -> Iterator[str]:
    """The names of all keys inside a settings class, walked in another way than the list does."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for field, info in annotation.model_fields.items():
            full = f"{name}.{field}" if name else field
            below = list(leaves(info.annotation, full))
            yield from below or [full]
            if below and field in ("train", "dev", "test"):
                yield full
    else:
        for inside in get_args(annotation):
            yield from leaves(inside, name)


def recipe_with(table: Table, key: Key, value: str) -> dict[str, Any]:
    """The whole recipe that results where this key alone is given, as a command line would give it."""
    if table.name == "data.train":
        text = {"source": "a", "target": "b"} if table.kind in ("lines", "subtitles") else {"path": "a"}
        reader = {"kind": table.kind, **text, key.name.rpartition(".")[2]: parse_value(value)}
        given = {"data": {"train": [reader]}}
    else:
        given = parse_keys([f"--{key.name}", value])
    kind = {"model": {"kind": table.kind or IMPLIED_KIND}} if table.name == "model" else {"model": {}}
    return make_recipe(merge(merge(SOME_DATA, kind), given)).model_dump()


def test_every_key_of_a_recipe_is_listed() -> None:
    listed = {key.name for table in TABLES for key in table.keys}
    readers = {name for name in leaves(Recipe, "") if name.startswith(("data.dev.", "data.test."))}
    assert listed == {*leaves(Recipe, ""), "model.preset"} - readers


def test_every_table_and_key_says_what_it_means_and_takes() -> None:
    for table in TABLES:
        assert table.meaning
        for key in table.keys:
            assert key.takes
            assert key.meaning or key.name.endswith("kind")


@pytest.mark.parametrize(("table", "key"), [each for each in KEYS if each.values[1].default])
def test_a_default_that_is_given_changes_nothing(table: Table, key: Key) -> None:
    if table.name == "data.train":
        plain = recipe_with(table, Key("kind", "", "", True, False, ""), table.kind or "")
    else:
        plain = recipe_with(table, Key("seed", "", "", False, False, ""), "1")
    assert recipe_with(table, key, key.default) == plain


@pytest.mark.parametrize(("table", "key"), [each for each in KEYS if not each.values[1].default])
def test_a_key_without_a_default_takes_what_the_list_says(table: Table, key: Key) -> None:
    if key.name == "data.train":
        assert make_recipe({**SOME_DATA, "model": {}}).data.train
        return
    values = [word.strip('"') for word in key.takes.split(", ")] if '"' in key.takes else [SAMPLES[key.takes]]
    assert all(recipe_with(table, key, value) for value in values)


@pytest.mark.parametrize(("table", "key"), [each for each in KEYS if each.values[1].takes.endswith("or none")])
def test_a_key_that_says_so_can_be_none(table: Table, key: Key) -> None:
    value: Any = recipe_with(table, key, "none")
    for part in key.name.split("."):
        value = value[part]
    assert value is None


def test_all_keys_that_can_be_none_say_so() -> None:
    said = {key.name.rpartition(".")[2] for table in TABLES for key in table.keys if key.takes.endswith("or none")}
    assert said == CAN_BE_NONE


def test_the_list_says_which_keys_must_be_given() -> None:
    needed = {(key.name, table.kind) for table in TABLES for key in table.keys if key.needed}
    assert ("data.train", None) in needed
    assert {("data.train.kind", "lines"), ("data.train.source", "lines"), ("model.kind", "rnn")} <= needed
    assert ("model.kind", "transformer") not in needed
    assert make_recipe({**SOME_DATA, "model": {}}).model.kind == "transformer"


def test_what_training_chooses_is_marked() -> None:
    marked = {key.name for table in TABLES for key in table.keys if key.chosen}
    assert marked == chosen_keys()
    assert {"training.max_updates", "training.workers", "model.dropout", "tokenizer.vocabulary_size"} <= marked
    assert "seed" not in marked


def test_presets_are_a_key_though_no_setting_has_them() -> None:
    (preset,) = [key for table in TABLES for key in table.keys if key.name == "model.preset"]
    assert preset.takes == ", ".join(f'"{name}"' for name in PRESETS)
    assert "`small`: encoder_layers 3" in preset.meaning
