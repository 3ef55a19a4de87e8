"""What is wrong with a recipe's keys, in words: pydantic's errors as one sentence."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel

from polyhead.data.readers import READERS
from polyhead.errors import shortened, shown
from polyhead.limits import LONGEST_MESSAGE
from polyhead.model.build import MODELS
from polyhead.recipe.schema import Recipe

_MOST_SAID, _LONGEST_NAME, _LONGEST_REASON = 8, 60, 120
_MORE = "; and {:,} more"
_KINDS = frozenset({*MODELS, *READERS})
"""The names of kinds, which pydantic puts among the keys that lead to an error."""


def listed(problems: Sequence[Mapping[str, Any]]) -> str:
    """The first problems, as many as one message holds, and how many there are besides."""
    problems = _without_consequences(problems)
    said = _explain(problems[0])
    for number, problem in enumerate(problems[1:], start=1):
        longer = f"{said}; {_explain(problem)}" if number < _MOST_SAID else said
        if number == _MOST_SAID or len(longer) > LONGEST_MESSAGE - len(_MORE):
            return said + _MORE.format(len(problems) - number)
        said = longer
    return said


def _without_consequences(problems: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The problems without those of lists that are too short only because something in them is wrong."""
    around = {problem["loc"][:depth] for problem in problems for depth in range(len(problem["loc"]))}
    return [problem for problem in problems if problem["type"] != "too_short" or problem["loc"] not in around]


def _explain(problem: Mapping[str, Any]) -> str:
    """One of pydantic's errors as a sentence with the key first."""
    place = [str(part) for part in problem["loc"]]
    key = shortened(".".join(part for part in place if part not in _KINDS), _LONGEST_NAME)
    if problem["type"] == "extra_forbidden":
        return f"{key}: there is no such key; {suggest(place[-1], _fields_at(place[:-1]))}"
    value = problem.get("input")
    match problem["type"]:
        case "missing":
            return f"{key}: this key is needed"
        case "union_tag_not_found":
            return f"{key}.kind: this key is needed; {suggest('', _kinds_at(place))}"
        case "union_tag_invalid":
            kind = str(problem["ctx"]["tag"])
            return f"{key}.kind = {shown(kind)}: there is no such kind; {suggest(kind, _kinds_at(place))}"
        case "tuple_type":
            tables = f"; write it as tables, [[{key}]]" if _fields_at(place) else ""
            return f"{key} = {shown(value)}: a list is needed{tables}"
        case "model_type":
            return f"{key} = {shown(value)}: a table is needed; {suggest('', _fields_at(place))}"
        case "too_short":
            return f"{key}: at least {problem['ctx']['min_length']} is needed"
        case _:
            message = shortened(str(problem["msg"]).removeprefix("Value error, "), _LONGEST_REASON)
            return f"{key}: {message}" if isinstance(value, dict) else f"{key} = {shown(value)}: {message}"


def _fields_at(place: Sequence[str]) -> list[str]:
    """The keys that the table at `place` may have."""
    return sorted({name for kind in _models_at(place) for name in kind.model_fields})


def _kinds_at(place: Sequence[str]) -> list[str]:
    """The kinds of which the table at `place` may be."""
    return sorted(_kind_of(kind) for kind in _models_at(place))


def _models_at(place: Sequence[str]) -> list[type[BaseModel]]:
    """The settings classes of which the table at `place` may be."""
    current: list[Any] = [Recipe]
    for part in place:
        if part.isdigit():
            continue
        inside = [kind for kind in _models(current) if kind.model_fields.get("kind") and _kind_of(kind) == part]
        current = inside or [
            kind.model_fields[part].annotation for kind in _models(current) if part in kind.model_fields
        ]
    return _models(current)


def _kind_of(kind: type[BaseModel]) -> Any:
    return kind.model_fields["kind"].default


def _models(annotations: Sequence[Any]) -> list[type[BaseModel]]:
    """The settings classes inside annotations such as `tuple[Annotated[A | B, …], ...]`."""
    found: list[type[BaseModel]] = []
    for annotation in annotations:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            found.append(annotation)
        else:
            found += _models(get_args(annotation))
    return found


def suggest(wrong: str, right: Iterable[str]) -> str:
    """`did you mean …?`, or all there is to choose from."""
    names = sorted(right)
    near = difflib.get_close_matches(wrong[:_LONGEST_NAME], names, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names)}"
