"""`polyhead check`."""

import json
from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import Parameter

from polyhead.cli.corpora import Corpora
from polyhead.cli.paths import NamedPath
from polyhead.cli.usage import UsageError


def check(
    *,
    source: NamedPath | None = None,
    target: NamedPath | None = None,
    pairs: tuple[NamedPath, ...] = (),
    columns: str | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
    json_output: Annotated[bool, Parameter(name="--json")] = False,
) -> None:
    """Look at a corpus before training on it: what cleaning would drop and why, lengths, what training would choose.

    Parameters
    ----------
    source
        Text to translate from, a sentence a line, or subtitles (.srt); plain, .gz, .bz2, .xz or .zst.
    target
        The translation of --source, line by line, or for subtitles by their times.
    pairs
        A file of both languages, as `polyhead train` takes it.
    columns
        The columns of tables among --pairs that hold source and target, such as en,ko or 2,3.
    source_language
        Code of the language to translate from, such as en; it chooses among several languages of a file.
    target_language
        Code of the language to translate into.
    json_output
        Write JSON.

    """
    from polyhead.recipe.defaults import complete
    from polyhead.recipe.languages import languages_from_files
    from polyhead.recipe.load import make_recipe, merge
    from polyhead.recipe.look_over import look_over
    from polyhead.recipe.plan import choose_device
    from polyhead.recipe.schema import Recipe

    given = _given(
        Corpora(
            source=_listed(source),
            target=_listed(target),
            pairs=pairs,
            columns=columns,
            source_language=source_language,
            target_language=target_language,
        )
    )
    languages = languages_from_files(make_recipe(given).data)
    values = merge(given, {"data": languages.data})
    data = make_recipe(values).data
    found = look_over(data, Recipe.model_fields["seed"].default)
    corpus = found.statistics
    choices = complete(values, corpus, choose_device())[1]
    if json_output:
        result: dict[str, Any] = {
            "languages": languages.data,
            "cleaning": asdict(found.report),
            "words": found.lengths["words"],
            "line_characters": found.lengths["characters"],
            "suspicions": found.suspicions,
            "characters": corpus.characters,
            "word_types": corpus.word_types,
            "defaults": {choice.key: choice.value for choice in choices},
        }
        print(json.dumps(result, ensure_ascii=False))
        return
    if languages.sentence:
        print(languages.sentence)
    print(found.report)
    for sentence in found.suspicions:
        print(sentence)
    for unit, sides in found.lengths.items():
        for side, numbers in sides.items():
            print(f"{unit} a {side} line: " + ", ".join(f"{name} {value:g}" for name, value in numbers.items()))
    print(f"different words: {corpus.word_types:,}; different characters: {corpus.characters:,}")
    for choice in choices:
        print(f"training would choose: {choice}")


def _given(corpora: Corpora) -> dict[str, Any]:
    """The recipe's tables that the options stand for. Raises UsageError for options that don't go together."""
    corpora.check()
    data: dict[str, Any] = {}
    corpora.write_into(data)
    if "train" not in data:
        raise UsageError("nothing to look at: give --source and --target, or --pairs")
    return {"data": data}


def _listed(path: NamedPath | None) -> tuple[NamedPath, ...]:
    """The list of files that a recipe takes, from an option that takes one file."""
    return () if path is None else (path,)
