"""What every reader yields."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated

from pydantic import Field, StringConstraints

from polyhead.corpora.unit import Flaw
from polyhead.limits import HEAVIEST

LANGUAGE_PATTERN = r"^[A-Za-z][A-Za-z0-9_-]*$"
Language = Annotated[str, StringConstraints(pattern=LANGUAGE_PATTERN)]
Weight = Annotated[float, Field(gt=0.0, le=HEAVIEST)]


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation.

    target_language: what the translation is written in, where one model learns several directions
    origin: "file:line", for messages
    flaw: why the file says that it is no pair to learn from, if so: cleaning leaves it out, and sets to validate and to
    test on are read without it
    """

    source: str
    target: str
    target_language: str | None
    origin: str
    flaw: Flaw | None = None


def usable(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs without a flaw."""
    return (pair for pair in pairs if pair.flaw is None)


def in_chunks(pairs: Iterable[Pair], most: int) -> Iterator[list[Pair]]:
    """The pairs in order, at most `most` at a time: all of them may be more than memory holds."""
    left = iter(pairs)
    while some := list(islice(left, most)):
        yield some
