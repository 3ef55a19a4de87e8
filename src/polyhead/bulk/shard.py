"""A piece of work: some lines of a file, some rows of a table, or a whole document."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shard:
    """A part of a file, or all of it, that a worker translates in one go."""

    file: str
    """The name of the file's translation below the output directory."""
    kind: str
    """The file's kind, one of `polyhead.bulk.kinds.KINDS`."""
    source: Path
    """The file that the shard is a part of."""
    out: Path
    """The file that the shard's translation is written to."""
    number: int
    """The shard's place among the shards of the file, counted from 0."""
    start: int
    """Where the shard begins: a byte of a file of lines, a row of a table."""
    end: int
    """Where the next shard begins, or the file ends."""
    before: int
    """How many lines or rows of the file are before the shard."""
    lines: int
    """How many lines or rows the shard has; 1 for a document."""

    @property
    def problem_count(self) -> Path:
        """The file that says how many problems the shard's translation has; there is none where it has none."""
        return self.out.with_name(f"{self.out.name}.problems")


@dataclass(frozen=True)
class Translated:
    """A shard in translation."""

    content: bytes
    """What the file of the translated shard is to contain."""
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
