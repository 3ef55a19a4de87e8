"""One model for both directions of a corpus: every pair the other way round, too."""

from collections.abc import Sequence

from polyhead.data.readers import LinesConfig, PairsConfig, ReaderConfig, SubtitlesConfig, TsvConfig
from polyhead.errors import RecipeError
from polyhead.languages import same_code
from polyhead.recipe.schema import DataConfig

_NEEDS = "data.both_directions needs two different languages, source and target; "
_SAY = (
    "say which with --data.source_language en --data.target_language de, or name the files by them: train.en, train.de"
)


def both_ways(config: DataConfig) -> DataConfig:
    """The settings with `both_directions` spelled out: with a reader for each direction that names its target language.

    Nothing changes where `both_directions` isn't asked for. Raises RecipeError where a language isn't known.
    """
    if not config.both_directions:
        return config
    if config.source_language is None:
        raise RecipeError(f"{_NEEDS}{_SAY}")
    for reader in (*config.train, *config.dev, *config.test):
        _check(reader, config.source_language, config.target_language)
    directions = {name: _doubled(getattr(config, name), config) for name in ("train", "dev", "test")}
    return config.model_copy(update={**directions, "both_directions": False, "source_language": None})


def _check(reader: ReaderConfig, source: str, target: str | None) -> None:
    target = reader.target_language or target
    if target is None and isinstance(reader, TsvConfig) and reader.language_column is not None:
        return
    if target is None:
        raise RecipeError(f"{_NEEDS}{_SAY}")
    if same_code(source, target):
        raise RecipeError(f"{_NEEDS}here both are {source}; leave out readers that already go the other way")


def _doubled(readers: Sequence[ReaderConfig], config: DataConfig) -> tuple[ReaderConfig, ...]:
    """All readers, and after them a reader of the other direction for each."""
    there = [_spelled_out(reader, config) for reader in readers]
    return (*there, *(_reversed(reader, config.source_language) for reader in there))


def _spelled_out(reader: ReaderConfig, config: DataConfig) -> ReaderConfig:
    """The reader with the recipe's languages where it names none."""
    languages = {"target_language": reader.target_language or config.target_language}
    if isinstance(reader, PairsConfig):
        languages["source_language"] = reader.source_language or config.source_language
    return reader.model_copy(update=languages)


def _reversed(reader: ReaderConfig, language: str | None) -> ReaderConfig:
    """A reader of the same pairs with source and target exchanged; `language` is the new target's."""
    match reader:
        case LinesConfig() | SubtitlesConfig():
            sides = {"source": reader.target, "target": reader.source}
        case TsvConfig():
            columns = {"source_column": reader.target_column, "target_column": reader.source_column}
            sides = {**columns, "language_column": None}
        case PairsConfig():
            columns = reader.columns and (reader.columns[1], reader.columns[0])
            sides = {"source_language": reader.target_language, "columns": columns, "swapped": not reader.swapped}
    return reader.model_copy(update={**sides, "target_language": language})
