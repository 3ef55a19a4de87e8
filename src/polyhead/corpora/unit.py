"""What files of pairs consist of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Flaw = Literal["no translation", "unfinished translation"]
"""Why a unit is no sentence pair: it has no text in one of the languages, or its file says that it isn't done yet."""

Texts = Mapping[str, object]
"""Text by the code of its language, the name of its column, or SOURCE and TARGET where the file names neither.

What isn't a string is no text: None stands for a missing text, and a number can't be translated.
"""
SOURCE, TARGET = "source", "target"


@dataclass(frozen=True, slots=True)
class Unit:
    """A text in several languages, as a file has it."""

    texts: Texts
    place: str
    """Where the unit stands, for messages: "file:line (unit 3)"."""
    finished: bool = True
    """False where the file marks the translation as fuzzy, or as needing work or review."""


@dataclass(frozen=True, slots=True)
class Translation:
    """A text and its translation, out of a unit."""

    source: str
    target: str
    place: str
    flaw: Flaw | None = None
    """Why the pair can't be learnt from, in which case its texts may be empty; None: it can."""


@dataclass(frozen=True)
class Wanted:
    """Which texts of a unit are the source and the target."""

    source: str | None = None
    """The code of the source's language; None: the file decides."""
    target: str | None = None
    columns: tuple[str, str] | None = None
    """The names, or numbers from 1 on, of the columns with source and target, for tables."""

    @property
    def swapped(self) -> "Wanted":
        """What is wanted, with source and target exchanged."""
        return Wanted(self.target, self.source, self.columns and (self.columns[1], self.columns[0]))


def one_line(text: str) -> str:
    r"""A text on one line: a line break, with the white space around it, becomes a space, and at the ends nothing."""
    if "\n" not in text and "\r" not in text:
        return text
    parts = [part.strip() for part in text.replace("\r", "\n").split("\n")]
    return " ".join(part for part in parts if part)
