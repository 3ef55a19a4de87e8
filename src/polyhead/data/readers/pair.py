"""What every reader yields."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, StringConstraints

from polyhead.limits import HEAVIEST

LANGUAGE_PATTERN = r"^[A-Za-z][A-Za-z0-9_-]*$"
Language = Annotated[str, StringConstraints(pattern=LANGUAGE_PATTERN)]
Weight = Annotated[float, Field(gt=0.0, le=HEAVIEST)]


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation.

    target_language: what the translation is written in, where one model learns several directions
    origin: "file:line", for messages
    """

    source: str
    target: str
    target_language: str | None
    origin: str
