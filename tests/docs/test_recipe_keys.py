from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import pytest
from pydantic import BaseModel, Field

from docs.recipe_keys import chosen_keys, describe, markdown, shown, tables
from polyhead.recipe.load import CAN_BE_NONE, make_recipe
from polyhead.recipe.schema import Recipe


def leaves(annotation: Any, name: str) -> Iterator[str]:
    """The names of all keys inside a settings class, walked in another way than the reference does."""
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


def test_every_key_of_a_recipe_is_in_the_reference() -> None:
    described = {key.name for table in tables() for key in table.keys}
    readers = {name for name in leaves(Recipe, "") if name.startswith(("data.dev.", "data.test."))}
    assert described == {*leaves(Recipe, ""), "model.preset"} - readers


def test_every_key_is_described_and_told_what_it_takes() -> None:
    for table in tables():
        assert table.text
        for key in table.keys:
            assert key.takes
            assert key.text or key.name.endswith("kind")


def test_the_reference_says_which_keys_must_be_given() -> None:
    needed = {(key.name, table.kind) for table in tables() for key in table.keys if not key.default}
    assert ("data.train", None) in needed
    assert {("data.train.kind", "lines"), ("data.train.source", "lines"), ("model.kind", "rnn")} <= needed
    assert ("model.kind", "transformer") not in needed
    reader = {"kind": "lines", "source": "a", "target": "b"}
    assert make_recipe({"data": {"train": [reader]}, "model": {}}).model.kind == "transformer"


def test_what_training_chooses_is_not_given_as_a_plain_default() -> None:
    defaults = {key.name: key.default for table in tables() for key in table.keys}
    for name in chosen_keys():
        assert defaults[name].startswith("chosen for corpus and machine")
    assert {"training.max_updates", "training.workers", "model.dropout", "tokenizer.vocabulary_size"} <= chosen_keys()
    assert defaults["training.schedule.warmup"].endswith("else `4000`")


def test_the_keys_that_can_be_none_say_so() -> None:
    takes = {key.name: key.takes for table in tables() for key in table.keys}
    unset = {name.rpartition(".")[2] for name, words in takes.items() if words.endswith("or none")}
    assert unset >= set(CAN_BE_NONE)


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (int, "integer"),
        (Annotated[int, Field(ge=1)], "integer ≥ 1"),
        (Annotated[float, Field(ge=0, lt=1)], "number ≥ 0 and < 1"),
        (Annotated[int | None, Field(ge=1)], "integer ≥ 1, or none"),
        (Annotated[float, Field(ge=0)] | Literal["average"], 'number ≥ 0, or `"average"`'),
        (Literal["post", "pre"], '`"post"`, `"pre"`'),
        (bool, "true or false"),
        (Path | None, "path, or none"),
    ],
)
def test_types_in_words(annotation: Any, words: str) -> None:
    assert describe(annotation, []) == words


def test_values_as_a_recipe_has_them() -> None:
    assert [shown(value) for value in (None, True, 1e-9, "pre", Path("m"), ())] == [
        "`none`",
        "`true`",
        "`1e-09`",
        '`"pre"`',
        '`"m"`',
        "`[]`",
    ]


def test_a_key_is_a_target_once_however_many_kinds_share_it() -> None:
    lines = markdown(tables()).splitlines()
    places = [i for i, line in enumerate(lines) if line == "::::{key} model.dropout"]
    assert len(places) == 3
    assert [lines[i + 1] == ":no-index:" for i in places] == [False, True, True]
