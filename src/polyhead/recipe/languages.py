"""Which languages a recipe's corpora are in, from the names of their files where the recipe doesn't say.

`train.en` and `train.de` are English and German. What the recipe says wins.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from polyhead.data.readers import LinesConfig, ReaderConfig, TsvConfig
from polyhead.data.readers.names import language_of
from polyhead.errors import RecipeError
from polyhead.languages import name_of, names_direction, same_code, same_language
from polyhead.recipe.load import Values, make_recipe, merge
from polyhead.recipe.schema import DataConfig

Named = tuple[str, str]
"""The languages of a source file and its target file."""


@dataclass(frozen=True)
class Found:
    """What file names tell about a recipe's languages."""

    data: Values
    """Keys of `[data]` to be set; empty where the recipe or the names leave nothing to be set."""
    sentence: str = ""
    """The same in words."""


def with_languages(values: Values, begun: Values | None, say: Callable[[str], None]) -> Values:
    """A recipe's tables with the languages that its files' names tell, which are said.

    begun: the record of a run to go on with. One that was begun without languages goes on without them.
    Raises RecipeError for tables that are no recipe, and where the names of files contradict each other.
    """
    if begun is not None and not _has_languages(make_recipe(begun).data):
        return values
    found = languages_from_file_names(make_recipe(values).data)
    if found.sentence:
        say(found.sentence)
    return merge(values, {"data": found.data})


def languages_from_file_names(data: DataConfig) -> Found:
    """The languages that a recipe leaves open and its files' names tell.

    Several target languages become those of the readers, if each corpus has one. Raises RecipeError where the names of
    dev or test files contradict those of the training files.
    """
    targets = {} if data.target_language else _open_targets(data.train)
    known = _distinct([*targets.values(), *(reader.target_language or "" for reader in data.train)])
    if len(known) > 1 and not all(_says(reader) or row in targets for row, reader in enumerate(data.train)):
        targets = {}
    source = _open_source(data, [data.target_language or "", *known])
    found: Values = {"source_language": source} if source else {}
    if targets and len(known) == 1:
        found["target_language"] = known[0]
    elif targets:
        found |= {name: _with_targets(getattr(data, name)) for name in ("train", "dev", "test")}
    _check_others(data, source, found.get("target_language"))
    return Found(found, _in_words(source, known if targets else ()))


def _named(reader: ReaderConfig) -> Named | None:
    """The languages of a reader's files, if both name one, and different ones."""
    if not isinstance(reader, LinesConfig):
        return None
    source, target = language_of(reader.source), language_of(reader.target)
    if source is None or target is None or same_code(source, target):
        return None
    return None if names_direction(source, target) or names_direction(target, source) else (source, target)


def _has_languages(data: DataConfig) -> bool:
    return bool(data.source_language or data.target_language or any(map(_says, data.train)))


def _says(reader: ReaderConfig) -> bool:
    """Whether the recipe itself says which languages a corpus is translated into."""
    return bool(reader.target_language) or (isinstance(reader, TsvConfig) and reader.language_column is not None)


def _open_targets(readers: Sequence[ReaderConfig]) -> dict[int, str]:
    """Number of a reader that doesn't say its target language → the one that its files' names tell."""
    names = {row: _named(reader) for row, reader in enumerate(readers) if not _says(reader)}
    return {row: named[1] for row, named in names.items() if named is not None}


def _open_source(data: DataConfig, targets: Sequence[str]) -> str | None:
    """The one language that all sources are in, by their names; None where the recipe says it, or there are several."""
    sources = _distinct(named[0] for named in map(_named, data.train) if named is not None)
    if data.source_language or len(sources) != 1 or any(same_code(sources[0], target) for target in targets):
        return None
    return sources[0]


def _check_others(data: DataConfig, source: str | None, target: str | None) -> None:
    """Raises RecipeError for dev or test files in other languages than training's, as when the two are swapped.

    source, target: training's languages by the names of its files; None where they aren't from there
    """
    for reader in (*data.dev, *data.test):
        named = None if _says(reader) else _named(reader)
        if named is None or not isinstance(reader, LinesConfig):
            continue
        expected = source or named[0], target or named[1]
        if not (same_language(named[0], expected[0]) and same_language(named[1], expected[1])):
            raise RecipeError(
                f"{reader.source} and {reader.target} are {name_of(named[0])} and {name_of(named[1])} by their names, "
                f"the training files {name_of(expected[0])} and {name_of(expected[1])}; give other files, or say the "
                "languages with --data.source_language and --data.target_language"
            )


def _with_targets(readers: Sequence[ReaderConfig]) -> list[Values]:
    """The readers' settings, in which those that don't say their target language have it from their files' names."""
    targets = _open_targets(readers)
    named = [{"target_language": targets[row]} if row in targets else {} for row in range(len(readers))]
    return [{**reader.model_dump(mode="json"), **more} for reader, more in zip(readers, named, strict=True)]


def _distinct(codes: Iterable[str]) -> list[str]:
    """The different codes, each as it is spelled first; empty ones are none."""
    found: list[str] = []
    for code in codes:
        if code and not any(same_code(code, other) for other in found):
            found.append(code)
    return found


def _in_words(source: str | None, targets: Sequence[str]) -> str:
    goals = " and ".join(map(name_of, targets))
    match source, goals:
        case None, "":
            return ""
        case None, _:
            return f"target language: {goals}, from the file names"
        case _, "":
            return f"source language: {name_of(source)}, from the file names"
        case _:
            return f"languages: {name_of(source)} to {goals}, from the file names"
