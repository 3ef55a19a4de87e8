"""The recipe as run, kept in the model directory, and the check that a resumed run is the same one."""

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tomli_w

from polyhead.errors import RecipeError
from polyhead.files import write_text
from polyhead.recipe.load import Values, read_toml
from polyhead.recipe.schema import Recipe

LIBRARIES = ("polyhead", "torch", "numpy", "sentencepiece", "safetensors", "sacrebleu", "pydantic")
MAY_CHANGE = ("out", "threads", "training.max_updates", "training.max_epochs", "training.patience", "training.log_every")
"""Keys that a resumed run may set anew: they move the end, not what is computed on the way."""


def write_record(recipe: Recipe) -> None:
    """Writes `training/recipe.toml`: every key as it was in force, and the versions it ran with."""
    header = f"# python {sys.version.split()[0]} on {platform.machine()}; " + ", ".join(
        f"{library} {version(library)}" for library in LIBRARIES
    )
    write_text(_path(recipe.out), f"{header}\n\n{tomli_w.dumps(as_values(recipe))}")


def read_record(directory: Path) -> Values:
    """The recipe that a run directory was started with."""
    return read_toml(_path(directory))


def check_same(recipe: Recipe, record: Values) -> None:
    """Raises RecipeError naming the keys in which a run to resume differs from how it began."""
    now, then = dict(_flat(as_values(recipe))), dict(_flat(record))
    changed = sorted(
        key for key in now.keys() | then.keys() if key not in MAY_CHANGE and now.get(key) != then.get(key)
    )
    if changed:
        listed = "; ".join(f"{key} was {then.get(key)!r}, now {now.get(key)!r}" for key in changed[:5])
        raise RecipeError(f"{recipe.out} was begun with another recipe and cannot be resumed with this one: {listed}")


def as_values(recipe: Recipe) -> Values:
    """The recipe as TOML can hold it: no nulls, paths as text."""
    return _without_none(recipe.model_dump(mode="json"))


def _path(directory: Path) -> Path:
    return directory / "training" / "recipe.toml"


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(inner) for key, inner in value.items() if inner is not None}
    return [_without_none(inner) for inner in value] if isinstance(value, list) else value


def _flat(values: Values, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
