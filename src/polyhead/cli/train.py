"""`polyhead train`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polyhead.errors import RecipeError


def train(
    recipe: Path | None = None,
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
        A TOML file; `recipes/` has examples. Leave it out to train on --source and --target with defaults
        that follow from the corpus and the machine, and are printed.
    keys
        Any key of a recipe, such as --model.d_model 256; it wins over the file.
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
        Go on with an interrupted run: the same command with this flag.

    """
    from polyhead.recipe.load import merge, parse_keys, put, read_toml
    from polyhead.recipe.train import train as run

    words = list(keys)
    if recipe is not None and str(recipe).startswith("--"):
        words.insert(0, str(recipe))
        recipe = None
    values = merge(read_toml(recipe) if recipe is not None else {}, parse_keys(words))
    if len(source) != len(target):
        raise RecipeError(f"--source names {len(source)} files and --target {len(target)}; they go in pairs")
    if (dev_source is None) != (dev_target is None):
        raise RecipeError("--dev-source and --dev-target go together")
    if source:
        put(values, ["data", "train"], [_lines(s, t) for s, t in zip(source, target, strict=True)])
    if dev_source is not None and dev_target is not None:
        put(values, ["data", "dev"], [_lines(dev_source, dev_target)])
    if out is not None:
        values["out"] = str(out)
    if "train" not in values.get("data", {}):
        raise RecipeError("Nothing to train on: give a recipe, or --source and --target")
    return 0 if run(values, resume=resume).finished else 130


def _lines(source: Path, target: Path) -> dict[str, str]:
    return {"kind": "lines", "source": str(source), "target": str(target)}
