"""The base of every component's settings: frozen, checked, documented field by field."""

from functools import cache
from pathlib import Path
from typing import Any, cast, get_args

from pydantic import BaseModel, ConfigDict, model_validator

from polyhead.limits import LONGEST_TEXT


class Config(BaseModel):
    """Frozen settings. An unknown key is an error; the docstring under a field is its documentation.

    Numbers are finite, and true and false are no numbers; text is of moderate length.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        protected_namespaces=(),
        allow_inf_nan=False,
        str_max_length=LONGEST_TEXT,
    )

    @model_validator(mode="before")
    @classmethod
    def _check_kinds(cls, values: object) -> object:
        """Refuses true and false for numbers, numbers and words for true and false, and text with a NUL in it.

        Python takes true and false for 1 and 0, and pydantic takes 0, "no" and "False" for false.
        """
        given = cast("dict[str, object]", values) if isinstance(values, dict) else {}
        for name in cls.model_fields.keys() & given.keys():
            value = given[name]
            if isinstance(value, bool):
                if not _may_be_bool(cls, name):
                    raise ValueError(f"{name} cannot be true or false")
            elif isinstance(value, str | int | float) and _must_be_bool(cls, name):
                raise ValueError(f"{name} must be true or false")
            if "\0" in str(value if isinstance(value, str | Path) else ""):
                raise ValueError(f"{name} holds the character NUL")
        return values


@cache
def _may_be_bool(settings: type[Config], field: str) -> bool:
    """Whether a field's value may be true or false."""
    return _names_bool(settings.model_fields[field].annotation)


@cache
def _must_be_bool(settings: type[Config], field: str) -> bool:
    """Whether a field's value can be nothing but true or false."""
    return settings.model_fields[field].annotation is bool


def _names_bool(annotation: Any) -> bool:
    return annotation is bool or any(_names_bool(part) for part in get_args(annotation))
