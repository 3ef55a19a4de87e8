"""From a TOML file and command-line keys to a checked `Recipe`.

Keys are nested dictionaries until they are validated at the end, so that a key wins over the file, whatever it is.
"""

import difflib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from pathlib import Path
from typing import Any, cast, get_args

from pydantic import BaseModel, ValidationError

from polyhead.data.readers import READERS
from polyhead.errors import RecipeError
from polyhead.model.build import MODELS
from polyhead.model.config import PRESETS
from polyhead.recipe.schema import Recipe

Values = dict[str, Any]
NONE = "none"
"""How a file or a command line says that a number is unset; TOML itself has no word for it."""
CAN_BE_NONE = frozenset(
    """
    max_characters max_epochs max_length max_ratio max_sentences max_words patience sampled_epochs threads
    vocabulary_size
    """.split()  # noqa: SIM905  a list of so many quoted words is harder to read
)
"""The keys whose number may be unset."""


def read_toml(path: Path) -> Values:
    """The file's tables. Raises RecipeError naming file and line."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RecipeError(f"{path}: there is no such recipe") from error
    except UnicodeDecodeError as error:
        raise RecipeError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise RecipeError(f"{path}: {error.strerror}") from error
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: not valid TOML: {error}") from error


def parse_keys(words: Sequence[str]) -> Values:
    """`--model.d_model 128 --training.seed=3` → nested values; a value is TOML where it parses, else text.

    Raises RecipeError for a word that is no key or a key without a value.
    """
    values: Values = {}
    remaining = list(words)
    while remaining:
        word = remaining.pop(0)
        if not word.startswith("--"):
            raise RecipeError(f"{word!r} is not expected here; keys look like --model.d_model 128")
        key, equals, value = word[2:].partition("=")
        if not equals:
            if not remaining:
                raise RecipeError(f"--{key} needs a value")
            value = remaining.pop(0)
        put(values, key.replace("-", "_").split("."), parse_value(value))
    return values


def parse_value(text: str) -> Any:
    """`128` → 128, `true` → True, `[1, 2]` → a list, anything else → the text itself (dates are text too)."""
    try:
        value = cast(object, tomllib.loads(f"value = {text}")["value"])
    except tomllib.TOMLDecodeError:
        return text
    return text if isinstance(value, date | time) else value


def put(values: Values, keys: Sequence[str], value: Any) -> None:
    """Sets a nested value, making tables on the way."""
    for key in keys[:-1]:
        below = values.setdefault(key, {})
        if not isinstance(below, dict):
            raise RecipeError(f"{'.'.join(keys)}: {key} is a value, not a table")
        values = cast(Values, below)
    values[keys[-1]] = value


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> Values:
    """Both tables in one; where both have a key, `above` wins."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = merge(cast(Values, old), cast(Values, value)) if both else value
    return merged


def expand_preset(values: Values) -> Values:
    """Replaces `model.preset` by the sizes it stands for; keys given beside it win."""
    model = values.get("model", {})
    if not isinstance(model, dict) or "preset" not in model:
        return values
    sizes = {key: value for key, value in cast(Values, model).items() if key != "preset"}
    name = str(cast(Values, model)["preset"])
    if name not in PRESETS:
        raise RecipeError(f"model.preset = {name!r}: {suggest(name, PRESETS)}")
    return {**values, "model": {**PRESETS[name], **sizes}}


def make_recipe(values: Values) -> Recipe:
    """Checks everything. Raises RecipeError listing each wrong key with the nearest right one."""
    values = expand_preset(_without_none(values))
    model = values.get("model", {})
    if isinstance(model, dict):
        values = {**values, "model": {"kind": "transformer", **cast(Values, model)}}
    try:
        return Recipe.model_validate(values)
    except ValidationError as error:
        raise RecipeError("\n".join(_explain(problem) for problem in error.errors())) from None


def _without_none(values: Values) -> Values:
    """Takes "none" for what it says, where a number may be unset."""
    meant: Values = {}
    for key, value in values.items():
        if isinstance(value, dict):
            meant[key] = _without_none(cast(Values, value))
        else:
            meant[key] = None if value == NONE and key in CAN_BE_NONE else value
    return meant


def _explain(problem: Mapping[str, Any]) -> str:
    """One of pydantic's errors as a sentence with the key first."""
    place = [str(part) for part in problem["loc"]]
    key = ".".join(part for part in place if part not in _KINDS)
    if problem["type"] == "extra_forbidden":
        return f"{key}: there is no such key; {suggest(place[-1], _fields_at(place[:-1]))}"
    if problem["type"] == "missing":
        return f"{key}: this key is needed"
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{key} = {problem.get('input')!r}: {message}"


_KINDS = frozenset({*MODELS, *READERS})


def _fields_at(place: Sequence[str]) -> list[str]:
    """The keys that the table at `place` may have."""
    current: list[Any] = [Recipe]
    for part in place:
        if part.isdigit():
            continue
        inside = [kind for kind in _models(current) if kind.model_fields.get("kind") and _kind_of(kind) == part]
        current = inside or [
            kind.model_fields[part].annotation for kind in _models(current) if part in kind.model_fields
        ]
    return sorted({name for kind in _models(current) for name in kind.model_fields})


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
    near = difflib.get_close_matches(wrong, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(names)}"
