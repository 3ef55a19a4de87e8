"""Types and values as people read them."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from polyhead.recipe.in_words import as_toml, describe

SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()
KEYS = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1)


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (int, "integer"),
        (Annotated[int, Field(ge=1)], "integer ≥ 1"),
        (Annotated[float, Field(ge=0, lt=1)], "number ≥ 0 and < 1"),
        (Annotated[int | None, Field(ge=1, le=2000)], "integer ≥ 1 and ≤ 2,000"),
        (Annotated[float, Field(ge=0)] | Literal["average"], 'number ≥ 0, or "average"'),
        (Literal["post", "pre"], '"post", "pre"'),
        (bool, "true or false"),
        (Path | None, "path"),
        (tuple[str, str] | None, "list of text and text"),
    ],
)
def test_types_in_words(annotation: Any, words: str) -> None:
    assert describe(annotation, []) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (1e-9, "1e-09"),
        ("pre", '"pre"'),
        (Path("m"), '"m"'),
        ((), "[]"),
        ([{"kind": "lines", "n": 1}], '[{ kind = "lines", n = 1 }]'),
    ],
)
def test_values_as_a_recipe_has_them(value: Any, text: str) -> None:
    assert as_toml(value) == text


@given(SCALARS | st.lists(SCALARS) | st.dictionaries(KEYS, SCALARS))
def test_toml_reads_every_value_back(value: Any) -> None:
    assert tomllib.loads(f"value = {as_toml(value)}")["value"] == value
