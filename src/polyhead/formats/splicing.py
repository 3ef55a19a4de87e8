"""Documents as text with regions that are written anew, and everything else as it was."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from polyhead.formats.unit import Answered, Unit
from polyhead.inline.codes import Marked

Write = Callable[[Sequence[Answered]], str]
"""The answers of a region's units → what stands in the region's place."""


@dataclass(frozen=True)
class Region:
    """A part of a document that holds units."""

    start: int
    """Where it begins in the document's text, in characters."""
    end: int
    units: tuple[Unit, ...]
    write: Write


@dataclass(frozen=True)
class Spliced:
    """A document: its text and the regions in it, in order, none within another."""

    text: str
    regions: tuple[Region, ...]

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """All units of the document, in order."""
        return tuple(unit for region in self.regions for unit in region.units)

    def filled(self, answers: Sequence[Answered]) -> str:
        """The document with the answers, one for each of `units`, in their regions."""
        return filled(self.text, 0, len(self.text), self.regions, answers)


def filled(text: str, start: int, end: int, regions: Sequence[Region], answers: Sequence[Answered]) -> str:
    """text[start:end] with its regions written anew."""
    remaining = iter(answers)
    written: list[str] = []
    for region in regions:
        written += [text[start : region.start], region.write([next(remaining) for _ in region.units])]
        start = region.end
    written.append(text[start:end])
    return "".join(written)


def in_one_language(raw: str, write: Callable[[Sequence[Marked]], str]) -> Write:
    """Writes a region of a file in one language: as it was where no answer changes anything, else from whole texts.

    A unit whose answer has problems keeps its own text.
    """

    def written(answers: Sequence[Answered]) -> str:
        if not any(answer.is_changed for answer in answers):
            return raw
        return write([answer.whole for answer in answers])

    return written


def constant(text: str) -> Write:
    """Writes a region without units, which always becomes this text."""

    def written(answers: Sequence[Answered]) -> str:
        del answers
        return text

    return written


def single(text: str, start: int, end: int, unit: Unit, write: Callable[[Marked], str]) -> Region:
    """A region of a file in one language that holds one unit."""
    return Region(start, end, (unit,), in_one_language(text[start:end], lambda wholes: write(wholes[0])))


class Lines:
    """The lines of a text, and which of them a place is in."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(i + 1 for i in _newlines(text))]
        """Where each line begins, in characters."""

    def number(self, place: int) -> int:
        """The number of the line that a character is in, counted from 1."""
        return bisect_right(self.starts, place)


def _newlines(text: str) -> Iterator[int]:
    place = text.find("\n")
    while place >= 0:
        yield place
        place = text.find("\n", place + 1)
