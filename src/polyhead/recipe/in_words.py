"""What a key of a recipe takes, in words, and values as a recipe writes them."""

import json
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic.fields import FieldInfo

_WORDS = {int: "integer", float: "number", str: "text", bool: "true or false", Path: "path"}
_BOUNDS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def describe(annotation: Any, metadata: list[Any]) -> str:
    """A type and its bounds in words: `integer ≥ 1`. They don't say whether a value may be unset."""
    origin = get_origin(annotation)
    if origin is Annotated:
        base, *more = get_args(annotation)
        return describe(base, [*metadata, *more])
    if origin in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        return ", or ".join(describe(part, metadata) for part in parts)
    if origin is Literal:
        return ", ".join(as_toml(value) for value in get_args(annotation))
    if origin is tuple:
        return f"list of {' and '.join(describe(part, []) for part in get_args(annotation))}"
    return " ".join([_WORDS[annotation], *_bounds(metadata)])


def _bounds(metadata: list[Any]) -> Iterator[str]:
    marks: list[str] = []
    for bound in metadata:
        if isinstance(bound, FieldInfo):
            marks += _bounds(bound.metadata)
        else:
            marks += [
                f"{sign} {_number(getattr(bound, name))}" for name, sign in _BOUNDS.items() if hasattr(bound, name)
            ]
    yield from [" and ".join(marks)] if marks else []


def _number(bound: float) -> str:
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:g}"


def as_toml(value: Any) -> str:
    """A value as a recipe would have it on one line; tables and lists too."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")  # which TOML has escaped, too
    if isinstance(value, Mapping):
        inside = [f"{key} = {as_toml(item)}" for key, item in cast("Mapping[str, Any]", value).items()]
        return f"{{ {', '.join(inside)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_toml, cast('list[Any]', value)))}]"
    return str(value)
