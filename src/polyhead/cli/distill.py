"""`polyhead distill`."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from polyhead.cli.corpora import Corpora
from polyhead.cli.numbers import Beam, Weight
from polyhead.cli.paths import NamedPath
from polyhead.cli.train import recipe_values
from polyhead.cli.usage import UsageError


def distill(
    teacher: NamedPath,
    recipe: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *keys: Annotated[str, Parameter(allow_leading_hyphen=True)],
    source: tuple[NamedPath, ...] = (),
    target: tuple[NamedPath, ...] = (),
    pairs: tuple[NamedPath, ...] = (),
    dev_source: NamedPath | None = None,
    dev_target: NamedPath | None = None,
    dev_pairs: tuple[NamedPath, ...] = (),
    columns: str | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
    to: str | None = None,
    weight: tuple[Weight, ...] = (),
    both_directions: bool = False,
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
        The student's: a TOML file, as in `recipes/`; without it --source and --target, or --pairs.
    keys
        Any key of a recipe, such as --model.decoder_layers 1; it wins over the file.
    source
        Text to translate from, a sentence a line, or subtitles (.srt); plain, .gz, .bz2, .xz or .zst. Give it once for
        each of several files.
    target
        Its translation by people, line by line: for --select, --keep-original and a dev set that is held out. May be
        left out where --dev-source and --dev-target are given.
    pairs
        A file of both languages, as `polyhead train` takes it.
    dev_source
        Text to validate on; without it a part of the training text is held out.
    dev_target
        Its translation by people.
    dev_pairs
        A file of both languages to validate on.
    columns
        The columns of tables among --pairs and --dev-pairs that hold source and target, such as en,ko or 2,3.
    source_language
        Code of the language to translate from, such as en; it chooses among several languages of a file.
    target_language
        Code of the language to translate into.
    to
        The language to translate to, for a teacher that writes several.
    weight
        How often an epoch has the pairs of each corpus, first --source, then --pairs: 2 is twice, 0.5 a random half.
    both_directions
        Learn every pair the other way round, too, from a teacher that translates both ways.
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

    if source and not target and not pairs:
        if select != "best" or keep_original or both_directions or dev_source is None:
            raise UsageError(
                "without --target there is nothing to select by, to keep, to turn round or to hold out: give --target, "
                "or --dev-source and --dev-target, and leave out --select, --keep-original and --both-directions"
            )
        target = source  # is replaced by what the teacher writes, line by line
        to = to or _only_language(teacher)
    corpora = Corpora(
        source,
        target,
        dev_source,
        dev_target,
        weight,
        both_directions,
        pairs=pairs,
        dev_pairs=dev_pairs,
        columns=columns,
        source_language=source_language,
        target_language=target_language,
    )
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
