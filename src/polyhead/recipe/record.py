"""The recipe as run, kept in the model directory, and the check that a resumed run is the same one.

training/recipe.toml   every key as it was in force; can be trained from again
training/data.json     which sentence pairs the run learns and validates on: counts and fingerprints
"""

import platform
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import tomli_w
from pydantic import Field, ValidationError

import polyhead
from polyhead.config import Config
from polyhead.errors import ModelError, RecipeError
from polyhead.limits import LARGEST_RECORD, MOST_COUNTED
from polyhead.manifest import check_listed, write_listed_text
from polyhead.reading import read_text
from polyhead.recipe.facts import fingerprint
from polyhead.recipe.load import CAN_BE_NONE, NONE, Values, make_recipe, read_toml
from polyhead.recipe.prepare import Pairs
from polyhead.recipe.schema import Recipe

LIBRARIES = ("torch", "numpy", "sentencepiece", "safetensors", "sacrebleu", "pydantic")
MAY_CHANGE = frozenset(
    {
        "out",
        "threads",
        "licence",
        "data.store",
        "training.max_updates",
        "training.max_epochs",
        "training.minutes",
        "training.min_delta",
        "training.patience",
        "training.log_every",
        "training.sharded",
    }
)
"""Keys that a resumed run may set anew: they move the end, or who computes what, not what is computed on the way."""


class Fingerprint(Config):
    """What identifies a corpus."""

    pairs: int = Field(ge=0, le=MOST_COUNTED)
    """How many sentence pairs it has."""
    sha256: str
    """The `fingerprint` of the pairs."""


class Fingerprints(Config):
    """What `data.json` holds: the fingerprints of what training sees. Test sets may change: they decide nothing."""

    training: Fingerprint
    validation: Fingerprint

    @classmethod
    def of(cls, pairs: Pairs) -> "Fingerprints":
        """The fingerprints of a run's corpora."""
        return cls(
            training=Fingerprint(pairs=len(pairs.train), sha256=pairs.facts.sha256),
            validation=Fingerprint(pairs=len(pairs.dev), sha256=fingerprint(pairs.dev)),
        )


def started(directory: Path) -> bool:
    """Whether `directory` holds a run, finished or not."""
    return _recipe_path(directory).exists()


def check_started(directory: Path) -> None:
    """Raises RecipeError where `directory` holds no run, or one with a recipe that this version refuses."""
    if not started(directory):
        raise RecipeError(
            f"{directory}: there is no training run to resume, as {_recipe_path(directory)} is missing; leave out "
            "--resume to start one"
        )
    begun = read_record(directory)
    try:
        make_recipe(begun)
    except RecipeError as error:
        raise RecipeError(
            f"{directory} was begun with a recipe that this version of polyhead refuses, so it cannot be resumed "
            f"({error}); start again with another --out"
        ) from error


def write_record(recipe: Recipe, pairs: Pairs) -> None:
    """Writes `data.json` and then `recipe.toml`, which is the sign that there is a run."""
    write_listed_text(_data_path(recipe.out), Fingerprints.of(pairs).model_dump_json(indent=2) + "\n")
    versions = [f"polyhead {polyhead.__version__}", *(f"{library} {version(library)}" for library in LIBRARIES)]
    header = f"# python {sys.version.split()[0]} on {platform.machine()}; {', '.join(versions)}"
    write_listed_text(_recipe_path(recipe.out), f"{header}\n\n{tomli_w.dumps(as_values(recipe))}")


def read_record(directory: Path) -> Values:
    """The recipe that a run directory was started with. Raises RecipeError where its file is damaged."""
    _check_listed(_recipe_path(directory))
    return read_toml(_recipe_path(directory), LARGEST_RECORD)


def check_same(recipe: Recipe, pairs: Pairs) -> None:
    """Raises RecipeError naming the keys, or the data, in which a run to resume differs from how it began."""
    # Through `make_recipe`, as an older version's record lacks newer keys, which then have their defaults.
    begun = make_recipe(read_record(recipe.out))
    now, then = dict(_flat(as_values(recipe))), dict(_flat(as_values(begun)))
    free = MAY_CHANGE
    if recipe.training.schedule.kind == "cosine":
        free -= {"training.max_updates"}  # the learning rate of every update follows from the last one's number
    changed = sorted(key for key in now.keys() | then.keys() if key not in free and now.get(key) != then.get(key))
    if changed:
        listed = "; ".join(f"{key} was {then.get(key)!r}, now {now.get(key)!r}" for key in changed[:5])
        raise RecipeError(f"{recipe.out} was begun with another recipe and cannot be resumed with this one: {listed}")
    found, expected = Fingerprints.of(pairs), _read_fingerprints(recipe.out)
    for name, now_, before in (
        ("training", found.training, expected.training),
        ("validation", found.validation, expected.validation),
    ):
        if now_ != before:
            raise RecipeError(
                f"{recipe.out} was begun with other data and cannot be resumed with these: the {name} pairs have "
                f"changed since then ({before.pairs} then, {now_.pairs} now); put the files back as they "
                "were, or start again with another --out"
            )


def _read_fingerprints(directory: Path) -> Fingerprints:
    path = _data_path(directory)
    _check_listed(path)
    try:
        return Fingerprints.model_validate_json(read_text(path, LARGEST_RECORD))
    except (OSError, ValidationError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it holds no fingerprints of a training run"
        raise RecipeError(f"{path} cannot be read, so this run cannot be resumed: {reason}") from error


def _check_listed(path: Path) -> None:
    """Raises RecipeError where the file is damaged; one that can't be read is left to whoever reads it next."""
    try:
        check_listed(path, LARGEST_RECORD)
    except OSError:
        pass
    except ModelError as error:
        raise RecipeError(str(error)) from error


def as_values(recipe: Recipe) -> Values:
    """The recipe as TOML can hold it: paths as text, an unset number as "none", no other unset keys."""
    return cast(Values, _for_toml(recipe.model_dump(mode="json")))


def _recipe_path(directory: Path) -> Path:
    return directory / "training" / "recipe.toml"


def _data_path(directory: Path) -> Path:
    return directory / "training" / "data.json"


def _for_toml(value: object) -> object:
    if isinstance(value, dict):
        table = cast(dict[str, object], value)
        named = {key: NONE if inner is None and key in CAN_BE_NONE else inner for key, inner in table.items()}
        return {key: _for_toml(inner) for key, inner in named.items() if inner is not None}
    return [_for_toml(inner) for inner in cast(list[object], value)] if isinstance(value, list) else value


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(cast(Values, value), f"{prefix}{key}.")
        else:
            yield prefix + key, value
