import time

import pytest

from polyhead.recipe.load import parse_keys, parse_value
from polyhead.recipe.toml import parse_toml


def test_recipes_are_toml() -> None:
    assert parse_toml('a.b = [{c = 1.5}, "x.y.z"]') == {"a": {"b": [{"c": 1.5}, "x.y.z"]}}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = " + "[" * 100_000, id="lists"),
        pytest.param("x = " + "[" * 25 + "]" * 25, id="a few lists too many"),
        pytest.param("x = " + "{a = " * 50_000, id="tables"),
        pytest.param("a." * 100_000 + "a = 1", id="a dotted key"),
        pytest.param("a." * 30 + "a = 1", id="a shorter one"),
        pytest.param("x = {" + "a." * 60_000 + "a = 1}", id="one in a table"),
        pytest.param("x = " + "9" * 10_000, id="digits"),
    ],
)
def test_what_is_long_or_deep_is_refused_at_once(text: str) -> None:
    began = time.monotonic()
    with pytest.raises(ValueError, match=r"\w") as caught:
        parse_toml(text)
    assert len(str(caught.value)) < 250
    assert time.monotonic() - began < 2


def test_a_value_on_the_command_line_that_is_too_deep_is_text() -> None:
    assert parse_value("[" * 50_000) == "[" * 50_000
    assert parse_keys(["--out", "x" + "/.." * 200]) == {"out": "x" + "/.." * 200}
