"""Two files aligned line by line."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from polyhead.config import Config
from polyhead.data.readers.files import read_text_lines
from polyhead.data.readers.pair import Language, Pair, Weight
from polyhead.errors import DataError, counted


class LinesConfig(Config):
    """Line n of one file is the translation of line n of the other."""

    kind: Literal["lines"] = "lines"
    """Two aligned text files."""
    source: Path
    """The file to translate from: UTF-8, plain, .gz, .xz or .zst."""
    target: Path
    """The file to translate into."""
    target_language: Language | None = None
    """The language of the target file, for its tag, where one model learns several directions."""
    weight: Weight = 1.0
    """How often an epoch has each pair: 2 is twice, 0.5 a random half, a new one every epoch. Only in `data.train`."""


def read_lines(config: LinesConfig) -> Iterator[Pair]:
    """The pairs in order. DataError when one file has more lines than the other, after the last pair."""
    sources, targets = read_text_lines(config.source), read_text_lines(config.target)
    for number, (source, target) in enumerate(zip_longest(sources, targets), start=1):
        if source is None or target is None:
            missing = number - 1
            longer = number + sum(1 for _ in (targets if source is None else sources))
            source_count, target_count = (missing, longer) if source is None else (longer, missing)
            message = (
                f"the files are not aligned: {config.source} has {counted(source_count, 'line')} and"
                f" {config.target} has {target_count}, so line {number} has no partner"
            )
            raise DataError(message, config.target if source is None else config.source, number)
        yield Pair(source, target, config.target_language, f"{config.source}:{number}")
