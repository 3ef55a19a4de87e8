"""From a TOML file and command-line keys to a checked `Recipe`.

Both stay nested dictionaries until they are validated at the end, so that any command-line key can win over the file.
"""

from collections.abc import Mapping, Sequence
from datetime import date, time
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from polyhead.errors import RecipeError, shown
from polyhead.limits import DEEPEST, LARGEST_SETTINGS
from polyhead.model.config import PRESETS
from polyhead.reading import read_text
from polyhead.recipe.problems import listed, suggest
from polyhead.recipe.schema import Recipe
from polyhead.recipe.toml import parse_toml

Values = dict[str, Any]
NONE = "none"
"""How a file or a command line says that a number is unset; TOML itself has no word for it."""
CAN_BE_NONE = frozenset(
    """
    max_characters max_epochs max_length max_ratio max_sentences max_words min_delta minutes patience sampled_epochs
    threads vocabulary_size window
    """.split()  # noqa: SIM905  a list of so many quoted words is harder to read
)
"""The keys whose number may be unset."""


def read_toml(path: Path, most: int = LARGEST_SETTINGS) -> Values:
    """The tables of a TOML file of at most `most` bytes. Raises RecipeError naming file and line."""
    try:
        return parse_toml(read_text(path, most))
    except FileNotFoundError as error:
        raise RecipeError(f"{path}: there is no such recipe") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        place = error.start - error.object.rfind(b"\n", 0, error.start)
        byte = error.object[error.start]
        raise RecipeError(
            f"{path}:{line}: invalid UTF-8: byte {place} of the line is 0x{byte:02X}; save the text as UTF-8"
        ) from error
    except OSError as error:
        raise RecipeError(f"{path}: {error.strerror}; give a recipe, a TOML file") from error
    except ValueError as error:
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
            raise RecipeError(f"{shown(word)} is not expected here; keys look like --model.d_model 128")
        key, equals, value = word[2:].partition("=")
        if key.count(".") > DEEPEST:
            raise RecipeError(f"{shown(word)}: no key of a recipe has so many parts")
        if not equals:
            if not remaining:
                raise RecipeError(f"--{key} needs a value")
            value = remaining.pop(0)
        put(values, key.replace("-", "_").split("."), parse_value(value))
    return values


def parse_value(text: str) -> Any:
    """`128` → 128, `true` → True, `[1, 2]` → a list, anything else → the text itself (dates are text too)."""
    try:
        value = cast(object, parse_toml(f"value = {text}")["value"])
    except ValueError:
        return text
    return text if isinstance(value, date | time) else value


def given(values: Values, keys: Sequence[str]) -> bool:
    """Whether tables have a key."""
    current: Any = values
    for key in keys:
        if not isinstance(current, dict) or key not in current:
            return False
        current = cast(Values, current)[key]
    return True


def look_up(values: Values, keys: Sequence[str]) -> Any:
    """The value of a key that tables have."""
    current: Any = values
    for key in keys:
        current = current[key]
    return current


def put(values: Values, keys: Sequence[str], value: Any) -> None:
    """Sets a nested value, making tables on the way."""
    for key in keys[:-1]:
        below = values.setdefault(key, {})
        if not isinstance(below, dict):
            raise RecipeError(f"{'.'.join(keys)}: {key} is a value, not a table")
        values = cast(Values, below)
    values[keys[-1]] = value


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> Values:
    """Both tables, and the tables within them, merged into one; where both have a key, `above` wins."""
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
    name = cast(Values, model)["preset"]
    if not isinstance(name, str) or name not in PRESETS:
        raise RecipeError(f"model.preset = {shown(name)}: {suggest(name if isinstance(name, str) else '', PRESETS)}")
    return {**values, "model": {**PRESETS[name], **sizes}}


def make_recipe(values: Values) -> Recipe:
    """Makes a recipe of its tables, checked. Raises RecipeError listing wrong keys, each with the nearest right one."""
    values = expand_preset(_without_none(values))
    model = values.get("model", {})
    if isinstance(model, dict):
        values = {**values, "model": {"kind": "transformer", **cast(Values, model)}}
    try:
        return Recipe.model_validate(values)
    except ValidationError as error:
        raise RecipeError(listed(error.errors(include_url=False))) from None


def _without_none(values: Values) -> Values:
    """The tables with None in place of "none" for each key whose number may be unset."""
    meant: Values = {}
    for key, value in values.items():
        if isinstance(value, dict):
            meant[key] = _without_none(cast(Values, value))
        else:
            meant[key] = None if value == NONE and key in CAN_BE_NONE else value
    return meant
