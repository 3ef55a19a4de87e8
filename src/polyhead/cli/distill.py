"""`polyhead distill`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from polyhead.cli.corpora import Corpora
from polyhead.cli.numbers import Beam
from polyhead.cli.paths import NamedPath
from polyhead.cli.train import recipe_values
from polyhead.cli.usage import UsageError

_NONE = Corpora()


def distill(
    teacher: NamedPath,
    recipe: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *keys: Annotated[str, Parameter(allow_leading_hyphen=True)],
    corpora: Corpora = _NONE,
    to: str | None = None,
    ensemble: tuple[NamedPath, ...] = (),
    beam: Beam = 5,
    select: Literal["best", "bleu", "chrf"] = "best",
    keep_original: bool = False,
    out: NamedPath | None = None,
    resume: bool = False,
) -> int:
    """Train a student on a teacher's translations of its training text.

    Parameters
    ----------
    teacher
        The model directory to learn from.
    recipe
        The student's recipe: a TOML file, as in `recipes/`; without it --source and --target, or --pairs. With
        --dev-source and --dev-target, and without --select, --keep-original and --both-directions, --source alone
        will do.
    keys
        Any key of a recipe, such as --model.decoder_layers 1; it wins over the file.
    corpora
        The text to learn from.
    to
        The language to translate to, for a teacher that writes several.
    ensemble
        More teachers with the same vocabulary, whose probabilities are averaged with the first one's. Give it once for
        each.
    beam
        The teacher's beam size.
    select
        Learn the teacher's best translation, or of those in its beam the nearest to the given one by BLEU or chrF.
    keep_original
        Learn the given translations too.
    out
        The student's model directory; what the teacher wrote stays in its `distilled/`.
    resume
        Go on with an interrupted distillation or training: the same command with this flag.

    """
    from polyhead.recipe.distill import DistillationConfig
    from polyhead.recipe.distill import distill as run

    if corpora.source and not corpora.target and not corpora.pairs:
        if select != "best" or keep_original or corpora.both_directions or corpora.dev_source is None:
            raise UsageError(
                "without --target there is nothing to select by, to keep, to turn round or to hold out: give --target, "
                "or --dev-source and --dev-target, and leave out --select, --keep-original and --both-directions"
            )
        corpora = replace(corpora, target=corpora.source)  # is replaced by what the teacher writes, line by line
        to = to or _only_language(teacher)
    values = recipe_values(recipe, keys, corpora, out)
    if to is not None:
        values = {**values, "data": {**values["data"], "target_language": to}}
    config = DistillationConfig(beam_size=beam, select=select, keep_original=keep_original)
    return 0 if run([teacher, *ensemble], values, config, resume=resume).finished else 130


def _only_language(teacher: Path) -> str | None:
    """The language that the teacher writes, if it is a single one that is known."""
    from polyhead.bundle.config import read_config

    known = read_config(teacher).target_languages
    return known[0] if len(known) == 1 else None
