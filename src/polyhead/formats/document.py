"""What a format makes of a file: units, and how the file is written with their translations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from polyhead.formats.encoding import Encoding
from polyhead.formats.splicing import Spliced
from polyhead.formats.unit import Answered, Unit


@dataclass(frozen=True)
class Source:
    """A file as a format gets it, and what is asked for."""

    content: bytes
    name: str
    """What messages call the file."""
    target_language: str
    """The language to translate to, in BCP 47: such as ko or pt-BR."""
    source_language: str | None = None
    """The language to translate from; None: the one that the file names, if it does."""


class Document(Protocol):
    """A file that has been read."""

    @property
    def units(self) -> Sequence[Unit]:
        """All units of the document, in order."""
        ...

    @property
    def notes(self) -> Sequence[tuple[int, str]]:
        """What was left as it is although somebody may have wanted it translated: a line and a sentence for each."""
        ...

    def written(self, answers: Sequence[Answered]) -> bytes:
        """The file with an answer for each unit."""
        ...


@dataclass(frozen=True)
class TextDocument:
    """A document that is one text."""

    spliced: Spliced
    encoding: Encoding
    notes: tuple[tuple[int, str], ...] = ()

    @property
    def units(self) -> tuple[Unit, ...]:
        """All units of the document, in order."""
        return self.spliced.units

    def written(self, answers: Sequence[Answered]) -> bytes:
        """The file with an answer for each unit."""
        return self.encoding.encoded(self.spliced.filled(answers))
