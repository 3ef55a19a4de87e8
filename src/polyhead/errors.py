"""Errors that a person can act on: what was wrong, where, and what to do.

Everything a user can cause is a `PolyheadError`; the command line prints it as one sentence without a traceback.
"""

import re
from pathlib import Path

from polyhead.limits import LONGEST_MESSAGE

_UNPRINTABLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""What a terminal would obey instead of showing it, and what no terminal can show."""
_LONGEST_SHOWN = 60
_LEFT_OUT = " … "


def shortened(text: str, most: int = LONGEST_MESSAGE) -> str:
    """A text of any length as at most so many characters: of a longer one the middle is left out.

    Control characters become escapes, so that a name from a hostile file can't drive a terminal.
    """
    text = _UNPRINTABLE.sub(
        lambda found: ascii(found[0])[1:-1], text[: most + 1] + text[max(most + 1, len(text) - most) :]
    )
    if len(text) <= most:
        return text
    kept = most - len(_LEFT_OUT)
    return f"{text[: kept - kept // 2]}{_LEFT_OUT}{text[len(text) - kept // 2 :]}"


def shown(value: object) -> str:
    """A value from a file or a command line as a message quotes it: as Python writes it, cut short."""
    match value:
        case str():
            return shortened(repr(shortened(value, _LONGEST_SHOWN)), _LONGEST_SHOWN)
        case dict():
            return "a table"
        case list() | tuple() | set():
            return "a list"
        case bool() | None:
            return repr(value)
        case int():
            return repr(value) if abs(value) < 10**_LONGEST_SHOWN else "an enormous number"
        case _:
            return shortened(repr(value), _LONGEST_SHOWN)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with what it counts, as a message says it: `1 pair`, `2,000 pairs`.

    plural: the plural of the noun, where it isn't the noun with an s
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


class PolyheadError(Exception):
    """Something the user can put right; the message says what and how, in fewer than 300 characters."""

    def __init__(self, message: str) -> None:
        super().__init__(shortened(message))


class DataError(PolyheadError):
    """A corpus file cannot be used; names the file and, where there is one, the line (counted from 1)."""

    def __init__(self, message: str, path: Path | str, line: int | None = None) -> None:
        place = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{place}: {message}")
        self.path = Path(path)
        self.line = line


class RecipeError(PolyheadError):
    """A recipe or a command-line key is wrong; names the key and suggests the right one."""


class ModelError(PolyheadError):
    """A model directory is missing, damaged, or does not fit what is asked of it."""


class TrainingError(PolyheadError):
    """Training cannot go on (a NaN, an exploding loss, a run directory that belongs to another recipe)."""


class WriteError(PolyheadError):
    """Something cannot be written: the disk is full, it may not be written to, its directory is gone."""
