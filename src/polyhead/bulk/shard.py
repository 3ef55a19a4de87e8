"""A piece of work: some lines of a file, some rows of a table, or a whole document."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shard:
    """What one worker does in one go."""

    file: str
    """The name of the file's translation below the output directory."""
    kind: str
    """One of `polyhead.bulk.kinds.KINDS`."""
    source: Path
    """The file that it is a part of."""
    out: Path
    """The file that its translation is written to."""
    number: int
    """Its place among the shards of the file, counted from 0."""
    start: int
    """Where it begins: a byte of a file of lines, a row of a table."""
    end: int
    """Where the next one begins, or the file ends."""
    before: int
    """Lines or rows of the file before it."""
    lines: int
    """Its lines or rows; 1 of a document."""


@dataclass(frozen=True)
class Translated:
    """A shard in translation."""

    content: bytes
    """What its file is to contain."""
    problems: tuple[str, ...] = ()
    """What should be looked at, a sentence each."""


@dataclass(frozen=True)
class Outcome:
    """What became of a shard."""

    shard: Shard
    failure: str | None = None
    """Why it could not be translated; None where it was."""
    fatal: bool = False
    """Whether the same would happen to every other shard, too."""
    problems: tuple[str, ...] = ()
    """What should be looked at, a few sentences at most."""
    more_problems: int = 0
    """How many more there are."""
