"""`polyhead train`."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, cast

from cyclopts import Parameter

from polyhead.cli.corpora import Corpora
from polyhead.cli.keys import print_keys
from polyhead.cli.numbers import Minutes
from polyhead.cli.on_ray import OnRay
from polyhead.cli.paths import NamedPath
from polyhead.cli.usage import UsageError
from polyhead.errors import RecipeError, shown

_NONE, _NO_RAY = Corpora(), OnRay()


def train(
    recipe: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *keys: Annotated[str, Parameter(allow_leading_hyphen=True)],
    corpora: Corpora = _NONE,
    minutes: Minutes | None = None,
    out: NamedPath | None = None,
    resume: bool = False,
    show_keys: Annotated[bool, Parameter(name="--keys")] = False,
    on_ray: OnRay = _NO_RAY,
) -> int:
    """Train a translator from a recipe, from two text files, or from a file of both languages.

    Parameters
    ----------
    recipe
        A TOML file, as in `recipes/`; without it --source and --target, or --pairs, and defaults that suit them.
    keys
        Any key of a recipe, such as --model.d_model 256; it wins over the file. "none" unsets a number. Those that
        people change most: --model.preset (mini, tiny, small), --tokenizer.vocabulary_size, --model.dropout,
        --training.max_updates, --training.patience, --training.schedule.learning_rate, --data.batching.max_tokens,
        --data.cleaning.max_words, --decoding.beam_size, --seed, --threads. `polyhead train --keys` lists all.
    corpora
        The text to learn from.
    minutes
        Be done after so many minutes: the run is planned to give the best model that they allow on this machine.
    out
        The model directory to write.
    resume
        Go on with an interrupted run: the same command with this flag, or just --out and this flag.
    show_keys
        Train nothing: print every key of a recipe, its default, its meaning, and for a corpus what is chosen and why.
    on_ray
        Whether Ray trains.

    """
    began = time.monotonic()  # before PyTorch is loaded, which takes seconds
    from polyhead.recipe.follow import follow
    from polyhead.recipe.train import train as run
    from polyhead.training.joining import joined

    if minutes is not None:
        keys = (*keys, f"--training.minutes={minutes}")
    goes_on = resume and not (corpora.source or corpora.pairs or _is_recipe(recipe))
    if show_keys:
        print_keys(given_values(recipe, keys, corpora, out, _begun(out) if goes_on else None))
        return 0
    on_ray.check()
    if on_ray.ray:
        from polyhead.recipe.on_ray.launch import train_on_ray

        values = recipe_values(recipe, keys, corpora, out, _begun(out) if goes_on else None)
        return 0 if train_on_ray(values, on_ray.config, resume=resume) else 130
    with joined() as world:
        if world.rank > 0:
            return 0 if follow(world) else 130
        values = recipe_values(recipe, keys, corpora, out, _begun(out) if goes_on else None)
        return 0 if run(values, resume=resume, world=world, began=began).finished else 130


def _begun(out: Path | None) -> dict[str, Any]:
    """The record of the run to go on with that a directory holds. Raises RecipeError where it holds none."""
    from polyhead.recipe.record import check_started, read_record

    if out is None:
        return {}
    check_started(out)
    return read_record(out)


def recipe_values(
    recipe: str | None, keys: Sequence[str], corpora: Corpora, out: Path | None, begun: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """`given_values` that can be trained on. Raises UsageError also where neither a recipe nor a corpus is named."""
    values = given_values(recipe, keys, corpora, out, begun)
    if not _is_recipe(recipe) and not values.get("data", {}).get("train"):
        raise UsageError("nothing to train on: give a recipe, or --source and --target, or --pairs")
    return values


def given_values(
    recipe: str | None, keys: Sequence[str], corpora: Corpora, out: Path | None, begun: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The tables of a recipe, of which options win over keys and keys over the file (or `begun`, a run's record).

    Raises UsageError for what cannot be understood, RecipeError for a file that cannot be read.
    """
    from polyhead.recipe.load import merge, parse_keys, read_toml

    if recipe is not None and _is_recipe(recipe) and corpora.source and Path(recipe).suffix != ".toml":
        raise UsageError(
            f"{shown(recipe)} is taken for a recipe, but is no .toml file; give --source and --target once for each "
            "of several files: --source A --source B"
        )
    words = list(keys)
    if recipe is not None and not _is_recipe(recipe):
        words.insert(0, recipe)
        recipe = None
    try:
        given = parse_keys(words)
    except RecipeError as error:
        raise UsageError(str(error)) from error
    _check_keys(given)
    corpora.check()
    values = merge(read_toml(Path(recipe)) if recipe is not None else begun or {}, given)
    data: object = values.get("data", {})
    if not isinstance(data, dict):
        raise RecipeError(f"data = {shown(data)}: this is a table, with data.train in it")
    data = cast("dict[str, Any]", data)
    corpora.write_into(data)
    if data:
        values["data"] = data
    if out is not None:
        values["out"] = str(out)
    return values


def _is_recipe(word: str | None) -> bool:
    """Whether the first word names a recipe; otherwise it is a key already."""
    return word is not None and not word.startswith("--")


_FIELDS = (*fields(Corpora), *fields(OnRay))
OPTIONS = (*(field.name.replace("_", "-") for field in _FIELDS), "minutes", "out", "resume", "keys")


def _check_keys(keys: Mapping[str, object]) -> None:
    """Raises UsageError for a key that no recipe has, which may be a misspelt option."""
    from polyhead.recipe.problems import suggest
    from polyhead.recipe.schema import Recipe

    tables = [name.replace("_", "-") for name in Recipe.model_fields]
    for key in keys:
        if key not in Recipe.model_fields:
            name = key.replace("_", "-")
            raise UsageError(f"unknown option --{name}: {suggest(name, {*OPTIONS, *tables})}")
