"""`polyhead train`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polyhead.cli.usage import UsageError
from polyhead.errors import RecipeError


def train(
    recipe: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *keys: Annotated[str, Parameter(allow_leading_hyphen=True)],
    source: tuple[Path, ...] = (),
    target: tuple[Path, ...] = (),
    dev_source: Path | None = None,
    dev_target: Path | None = None,
    out: Path | None = None,
    resume: bool = False,
) -> int:
    """Train a translator from a recipe or from two text files.

    Parameters
    ----------
    recipe
        A TOML file, as in `recipes/`; without it --source and --target, and defaults to suit corpus and machine.
    keys
        Any key of a recipe, such as --model.d_model 256; it wins over the file. "none" unsets a number.
    source
        Text to translate from, a sentence a line; plain, .gz, .xz or .zst.
    target
        Its translation, line by line.
    dev_source
        Text to validate on; without it a part of the training text is held out.
    dev_target
        Its translation.
    out
        The model directory to write.
    resume
        Go on with an interrupted run: the same command with this flag, or just --out and this flag.

    """
    from polyhead.recipe.load import merge, parse_keys, put, read_toml
    from polyhead.recipe.record import read_record, started
    from polyhead.recipe.train import train as run

    words = list(keys)
    if recipe is not None and recipe.startswith("--"):  # no recipe: the first word is a key already
        words.insert(0, recipe)
        recipe = None
    try:
        given = parse_keys(words)
    except RecipeError as error:
        raise UsageError(str(error)) from error
    _check_keys(given)
    if len(source) != len(target):
        raise UsageError(f"--source names {len(source)} files and --target {len(target)}; they go in pairs")
    if (dev_source is None) != (dev_target is None):
        raise UsageError("--dev-source and --dev-target go together")
    values = read_toml(Path(recipe)) if recipe is not None else {}
    if resume and recipe is None and not source and out is not None and started(out):
        values = read_record(out)
    values = merge(values, given)
    if source:
        put(values, ["data", "train"], [_lines(s, t) for s, t in zip(source, target, strict=True)])
    if dev_source is not None and dev_target is not None:
        put(values, ["data", "dev"], [_lines(dev_source, dev_target)])
    if out is not None:
        values["out"] = str(out)
    if recipe is None and not values.get("data"):
        raise UsageError("nothing to train on: give a recipe, or --source and --target")
    return 0 if run(values, resume=resume).finished else 130


OPTIONS = ("source", "target", "dev-source", "dev-target", "out", "resume")


def _check_keys(keys: Mapping[str, object]) -> None:
    """What looks like a key may be an option misspelt. Raises UsageError."""
    from polyhead.recipe.load import suggest
    from polyhead.recipe.schema import Recipe

    tables = [name.replace("_", "-") for name in Recipe.model_fields]
    for key in keys:
        if key not in Recipe.model_fields:
            name = key.replace("_", "-")
            raise UsageError(f"unknown option --{name}: {suggest(name, {*OPTIONS, *tables})}")


def _lines(source: Path, target: Path) -> dict[str, str]:
    return {"kind": "lines", "source": str(source), "target": str(target)}
