"""Which languages a recipe's corpora are in, from their files where the recipe doesn't say.

`train.en` and `train.de` are English and German by their names, and a TMX file names the languages of its texts. What
the recipe says wins.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from polyhead.corpora.file_names import language_of
from polyhead.data.readers import LinesConfig, PairsConfig, ReaderConfig, SubtitlesConfig, TsvConfig
from polyhead.data.readers.pairs import languages_of_pairs
from polyhead.errors import RecipeError
from polyhead.languages import name_of, names_direction, same_code, same_language
from polyhead.recipe.load import Values, make_recipe, merge
from polyhead.recipe.prepare import as_read
from polyhead.recipe.schema import DataConfig

Named = tuple[str | None, str | None]
"""The languages of source and target; None for one that isn't known."""
_BY_NAMES, _BY_FILES = "from the file names", "from the files"


@dataclass(frozen=True)
class Found:
    """What files tell about a recipe's languages."""

    data: Values
    """Keys of `[data]` to be set; empty where the recipe or the files leave nothing to be set."""
    sentence: str = ""
    """The languages to be set, in words; empty where there are none."""


def with_languages(values: Values, begun: Values | None, say: Callable[[str], None]) -> Values:
    """A recipe's tables with the languages that its files tell, about which `say` gets a sentence.

    begun: the record of a run to go on with. A run that was begun without languages goes on without them.
    Raises RecipeError for tables that are no recipe, and where the names of files contradict each other.
    """
    if begun is not None and not _has_languages(make_recipe(begun).data):
        return values
    found = languages_from_files(make_recipe(values).data)
    if found.sentence:
        say(found.sentence)
    return merge(values, {"data": found.data})


def languages_from_files(data: DataConfig) -> Found:
    """The languages that a recipe leaves open and its files tell, by their names or by what is in them.

    Several target languages become settings of the readers, if each corpus has one. Raises RecipeError where the names
    of dev or test files contradict those of the training files, and DataError for a file of pairs that can't be read.
    """
    by_files = [_named(reader, data) for reader in data.train]
    targets = {} if data.target_language else _open_targets(data.train, by_files)
    known = _distinct([*targets.values(), *(reader.target_language or "" for reader in data.train)])
    if len(known) > 1 and not all(_says(reader) or row in targets for row, reader in enumerate(data.train)):
        targets = {}
    source = _open_source(data, [data.target_language or "", *known], by_files)
    found: Values = {"source_language": source} if source else {}
    if targets and len(known) == 1:
        found["target_language"] = known[0]
    elif targets:
        found |= {name: _with_targets(getattr(data, name), data) for name in ("train", "dev", "test")}
    _check_others(data, source, found.get("target_language"))
    told = _BY_FILES if any(isinstance(reader, PairsConfig) for reader in data.train) else _BY_NAMES
    return Found(found, _in_words(source, known if targets else (), told))


def _named(reader: ReaderConfig, data: DataConfig) -> Named:
    """The languages that a reader's files tell. Two files tell them only if their names end in different languages."""
    match reader:
        case PairsConfig():
            (read,) = as_read([reader], data)
            return languages_of_pairs(read) if isinstance(read, PairsConfig) else (None, None)
        case LinesConfig() | SubtitlesConfig():
            return _named_by_names(reader)
        case TsvConfig():
            return None, None


def _named_by_names(reader: LinesConfig | SubtitlesConfig) -> Named:
    source, target = language_of(reader.source), language_of(reader.target)
    if source is None or target is None or same_code(source, target):
        return None, None
    return (None, None) if names_direction(source, target) or names_direction(target, source) else (source, target)


def _has_languages(data: DataConfig) -> bool:
    return bool(data.source_language or data.target_language or any(map(_says, data.train)))


def _says(reader: ReaderConfig) -> bool:
    """Whether the recipe itself says which languages a corpus is translated into."""
    return bool(reader.target_language) or (isinstance(reader, TsvConfig) and reader.language_column is not None)


def _open_targets(readers: Sequence[ReaderConfig], by_files: Sequence[Named]) -> dict[int, str]:
    """For readers that don't say their target language: the reader's number → the language that its files tell."""
    targets = [None if _says(reader) else named[1] for reader, named in zip(readers, by_files, strict=True)]
    return {row: target for row, target in enumerate(targets) if target is not None}


def _open_source(data: DataConfig, targets: Sequence[str], by_files: Sequence[Named]) -> str | None:
    """The source language that files tell; None where the recipe says it, or where they tell several or a target's."""
    if data.source_language:
        return None
    sources = _distinct(named[0] or "" for named in by_files)
    if len(sources) != 1 or any(same_code(sources[0], target) for target in targets):
        return None
    return sources[0]


def _check_others(data: DataConfig, source: str | None, target: str | None) -> None:
    """Raises RecipeError for dev or test files in other languages than training's, as when the two are swapped.

    source, target: the languages that the training files tell; None where they don't
    """
    for reader in (*data.dev, *data.test):
        if _says(reader) or not isinstance(reader, LinesConfig | SubtitlesConfig):
            continue
        one, other = _named_by_names(reader)
        if one is None or other is None:
            continue
        expected = source or one, target or other
        if not (same_language(one, expected[0]) and same_language(other, expected[1])):
            raise RecipeError(
                f"{reader.source} and {reader.target} are {name_of(one)} and {name_of(other)} by their names, "
                f"the training files {name_of(expected[0])} and {name_of(expected[1])}; give other files, or say the "
                "languages with --data.source_language and --data.target_language"
            )


def _with_targets(readers: Sequence[ReaderConfig], data: DataConfig) -> list[Values]:
    """The readers' settings, in which those that don't say their target language have it from their files."""
    targets = _open_targets(readers, [_named(reader, data) for reader in readers])
    named = [{"target_language": targets[row]} if row in targets else {} for row in range(len(readers))]
    return [{**reader.model_dump(mode="json"), **more} for reader, more in zip(readers, named, strict=True)]


def _distinct(codes: Iterable[str]) -> list[str]:
    """The different codes, each in its first spelling, without empty ones."""
    found: list[str] = []
    for code in codes:
        if code and not any(same_code(code, other) for other in found):
            found.append(code)
    return found


def _in_words(source: str | None, targets: Sequence[str], told: str) -> str:
    goals = " and ".join(map(name_of, targets))
    match source, goals:
        case None, "":
            return ""
        case None, _:
            return f"target language: {goals}, {told}"
        case _, "":
            return f"source language: {name_of(source)}, {told}"
        case _:
            return f"languages: {name_of(source)} to {goals}, {told}"
