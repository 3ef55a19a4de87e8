"""TOML from untrusted files, read in bounded time, which is possible because recipes are neither long nor deep."""

import tomllib
from collections.abc import Iterable
from typing import Any, cast

from polyhead.limits import DEEPEST

_DOTS = 100
"""The most dots in a line. The parser's time grows with the square of a dotted key's parts."""


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of some TOML. Raises ValueError for what is not TOML or is nested deeper than any recipe."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _DOTS:
            raise ValueError(f"line {number} has more than {_DOTS} dots, which no line of a recipe has")
    try:
        values = tomllib.loads(text)
    except RecursionError:
        values = None
    if values is None or _is_deep(values):
        raise ValueError(f"tables and lists are nested more than {DEEPEST} levels deep, which no recipe is")
    return values


def _is_deep(values: dict[str, Any]) -> bool:
    """Whether tables and lists are nested beyond what is allowed."""
    level: list[object] = [values]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
    return bool(level)


def _inside(value: object) -> Iterable[object]:
    """What a table or a list holds; of another value nothing."""
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()
