"""Files that hold both sides, such as translation memories: whatever `polyhead.corpora` reads."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from polyhead.config import Config
from polyhead.corpora import Wanted, languages_of, read_corpus
from polyhead.data.readers.pair import Language, Pair, Weight


class PairsConfig(Config):
    """A file that holds both sides, or many such files."""

    kind: Literal["pairs"] = "pairs"
    """A file of sentence pairs."""
    path: Path
    """A TMX, XLIFF, PO, CSV, TSV, JSON Lines, Parquet or Arrow file, plain or compressed; a zip or tar archive of such
    files or of files aligned line by line; a directory of them; or a pattern such as `memories/*.tmx`."""
    source_language: Language | None = None
    """Code of the language to translate from; it chooses among several that the file has."""
    target_language: Language | None = None
    """Code of the language to translate into; it chooses among several that the file has, and is the tag where one
    model learns several directions."""
    columns: tuple[str, str] | None = None
    """The columns of a table that hold source and target: their names, or their numbers, from 1 on, where the table
    names none. Unset: the columns that the languages name, or the only two."""
    swapped: bool = False
    """Whether what the file has as the source is the target here, where it doesn't say which language is which."""
    weight: Weight = 1.0
    """How often an epoch has each pair: 2 is twice, 0.5 a random half, a new one every epoch. Only in `data.train`."""


def read_pairs(config: PairsConfig) -> Iterator[Pair]:
    """The pairs in order; a unit that is no pair to learn from has a flaw. DataError says which file, line and unit."""
    for unit in read_corpus(config.path, _wanted(config)):
        source, target = (unit.target, unit.source) if config.swapped else (unit.source, unit.target)
        yield Pair(source, target, config.target_language, unit.place, unit.flaw)


def languages_of_pairs(config: PairsConfig) -> tuple[str | None, str | None]:
    """The languages of source and target, as the settings or the file say; None for one that neither says."""
    source, target = languages_of(config.path, _wanted(config))
    return (target, source) if config.swapped else (source, target)


def _wanted(config: PairsConfig) -> Wanted:
    """What the file is asked for, with source and target in the file's own order."""
    wanted = Wanted(config.source_language, config.target_language, config.columns)
    return wanted.swapped if config.swapped else wanted
