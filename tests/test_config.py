from pathlib import Path

import pytest
from pydantic import Field, ValidationError

from polyhead.config import Config
from polyhead.limits import LONGEST_TEXT


class Settings(Config):
    """Of each kind a key."""

    count: int = Field(default=1, ge=0, le=10)
    """A whole number."""
    share: float | None = Field(default=None, ge=0, le=1e300)
    """A number."""
    free: float = 0.0
    """A number without bounds."""
    on: bool = False
    """A truth."""
    name: str = ""
    """Text."""
    place: Path = Path()
    """A path."""


@pytest.mark.parametrize(
    "value", [True, False, 1.5, "x", None, [], pytest.param(10**5000, id="enormous"), float("nan")]
)
def test_a_whole_number_is_nothing_else(value: object) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"count": value})


@pytest.mark.parametrize("value", [float("inf"), -float("inf"), float("nan"), "inf", "nan", True, 10**400, "1e999"])
@pytest.mark.parametrize("key", ["share", "free"])
def test_numbers_are_finite(key: str, value: object) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({key: value})


def test_truths_stay_truths() -> None:
    assert Settings.model_validate({"on": True}).on is True


@pytest.mark.parametrize("value", ["False", "no", "off", "true", 0, 1, 0.0])
def test_what_python_or_pydantic_takes_for_true_or_false_is_refused(value: object) -> None:
    """What follows from a setting is decided before it is converted, too."""
    with pytest.raises(ValidationError, match="on must be true or false"):
        Settings.model_validate({"on": value})


def test_text_has_an_end() -> None:
    assert Settings(name="x" * LONGEST_TEXT).name
    with pytest.raises(ValidationError):
        Settings(name="x" * (LONGEST_TEXT + 1))


@pytest.mark.parametrize("key", ["name", "place"])
def test_no_text_and_no_path_holds_a_nul(key: str) -> None:
    with pytest.raises(ValidationError, match="NUL"):
        Settings.model_validate({key: "a\0b"})
