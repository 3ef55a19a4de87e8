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
        """Refuses true and false where a number belongs, which Python takes for 1 and 0, and text with a NUL in it."""
        given = cast("dict[str, object]", values) if isinstance(values, dict) else {}
        for name in cls.model_fields.keys() & given.keys():
            if isinstance(given[name], bool) and not _has_truth(cls, name):
                raise ValueError(f"{name} cannot be true or false")
            if "\0" in str(given[name] if isinstance(given[name], str | Path) else ""):
                raise ValueError(f"{name} holds the character NUL")
        return values


@cache
def _has_truth(settings: type[Config], field: str) -> bool:
    """Whether a field's value may be true or false."""
    return _names_bool(settings.model_fields[field].annotation)


def _names_bool(annotation: Any) -> bool:
    return annotation is bool or any(_names_bool(part) for part in get_args(annotation))
