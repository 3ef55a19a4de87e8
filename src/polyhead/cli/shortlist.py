"""`polyhead shortlist`."""

from polyhead.cli.numbers import Pieces
from polyhead.cli.paths import NamedPath
from polyhead.cli.usage import UsageError
from polyhead.errors import counted


def shortlist(
    model: NamedPath,
    /,
    *,
    source: tuple[NamedPath, ...] = (),
    target: tuple[NamedPath, ...] = (),
    to: tuple[str, ...] = (),
    best: Pieces = 60,
    frequent: Pieces = 200,
) -> None:
    """Find the target pieces that each source piece may become, and write them into the model directory.

    `polyhead translate MODEL --shortlist` then chooses among a sentence's few hundred pieces, not all: somewhat faster.
    A model that writes several languages gets one shortlist for each language that the text is translated into.

    Parameters
    ----------
    model
        A model directory.
    source
        Parallel text, a sentence a line; plain, .gz, .bz2, .xz or .zst. Left out, it is the model's training text.
        Give it once for each of several files.
    target
        The translation of --source, line by line.
    to
        For a model that writes several languages: the language of each --target.
    best
        The likeliest translations of a source piece that are kept.
    frequent
        The most frequent target pieces, which every sentence gets besides.

    """
    from polyhead.data.readers import LinesConfig
    from polyhead.recipe.shortlist import make_shortlists
    from polyhead.shortlist.build import ShortlistConfig

    if len(source) != len(target):
        named = counted(len(source), "file")
        raise UsageError(f"--source names {named} and --target {len(target)}; they go in pairs")
    if to and len(to) != len(target):
        files = counted(len(target), "--target file")
        raise UsageError(f"--to names {counted(len(to), 'language')} for {files}; each has one")
    languages = to or (None,) * len(source)
    readers = [
        LinesConfig(source=one, target=other, target_language=language)
        for one, other, language in zip(source, target, languages, strict=True)
    ]
    for made in make_shortlists(model, readers, ShortlistConfig(best=best, frequent=frequent)):
        length = f"{made.coverage.pieces:,.0f} of {made.shortlist.target_vocabulary:,} pieces"
        print(f"{made.path}: from {counted(made.pairs, 'sentence pair')}; a sentence's list has {length} on average")
