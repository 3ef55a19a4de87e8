"""One file with a pair a line, columns separated by tabs."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from polyhead.config import Config
from polyhead.corpora.text_lines import read_text_lines
from polyhead.data.readers.pair import LANGUAGE_PATTERN, Language, Pair, Weight
from polyhead.errors import DataError
from polyhead.limits import MOST_LISTED

_LANGUAGE = re.compile(LANGUAGE_PATTERN)


class TsvConfig(Config):
    """A tab-separated file. Quotation marks mean nothing special: a column is what stands between two tabs."""

    kind: Literal["tsv"] = "tsv"
    """One tab-separated file."""
    path: Path
    """The file: UTF-8, plain, .gz, .bz2, .xz or .zst."""
    source_column: int = Field(default=0, ge=0, lt=MOST_LISTED)
    """The column to translate from; the first is 0."""
    target_column: int = Field(default=1, ge=0, lt=MOST_LISTED)
    """The column to translate into."""
    language_column: int | None = Field(default=None, ge=0, lt=MOST_LISTED)
    """The column that names the target language, if there is one; a line may leave it empty."""
    target_language: Language | None = None
    """The target language of lines that name none."""
    header: bool = False
    """Whether the first line names the columns; it is no pair then."""
    weight: Weight = 1.0
    """How often an epoch has each pair: 2 is twice, 0.5 a random half, a new one every epoch. Only in `data.train`."""


def read_tsv(config: TsvConfig) -> Iterator[Pair]:
    """The pairs in order. DataError when a line has too few columns or names an impossible language."""
    needed = 1 + max(config.source_column, config.target_column, config.language_column or 0)
    for number, line in enumerate(read_text_lines(config.path), start=1):
        if config.header and number == 1:
            continue
        columns = line.split("\t")
        if len(columns) < needed:
            message = f"{len(columns)} tab-separated columns, but column {needed} (counted from 1) is asked for"
            raise DataError(message, config.path, number)
        yield Pair(
            columns[config.source_column],
            columns[config.target_column],
            _language(columns, config, number),
            f"{config.path}:{number}",
        )


def _language(columns: list[str], config: TsvConfig, number: int) -> str | None:
    if config.language_column is None:
        return config.target_language
    language = columns[config.language_column].strip()
    if language and not _LANGUAGE.match(language):
        message = f"{language!r} in column {config.language_column + 1} is no language code such as fr or pt-BR"
        raise DataError(message, config.path, number)
    return language or config.target_language
