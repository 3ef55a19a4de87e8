"""Subtitles cut into cues: where the text of each stands in the file, for translating it and for learning from it.

pysubs2 and its like read cues into a form of their own and write that, so a file's numbers, blank lines, settings and
comments change. Here only the places of the texts are found, by the lines with times before them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from polyhead.errors import DataError
from polyhead.formats.splicing import Lines

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?"
_TIMING = re.compile(rf"^[ \t]*+{_TIME}[ \t]*+-->[ \t]*+{_TIME}(?:[ \t].*)?\r?$", re.MULTILINE)
_TIMES = re.compile(r"^[ \t]*+\d+:[^\n]*-->", re.MULTILINE)
"""The beginning of a line that is meant to have the times of a cue."""
_EMPTY = re.compile(r"^\r?(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True)
class Cue:
    """A text that is shown from one moment to another."""

    start: int
    """Where the cue's text begins in the file, in characters."""
    end: int
    """Where the last line of the cue's text ends, without the line break."""
    begins: float
    """When the text appears, in seconds from the beginning of the film."""
    ends: float
    line: int
    """The line of the file that the cue's text begins in."""


def cues(text: str, name: str, numbered: bool) -> Iterator[Cue]:
    """The cues of a file that have text, in order.

    name: the file's, for messages
    numbered: whether a cue goes on until the number and the times of the next, as in SRT, whatever blank lines are in
    it; in VTT a blank line ends it
    Raises DataError for times that cannot be read: the cue would be taken for text of the one before.
    """
    lines, place = Lines(text), 0
    for times in _TIMES.finditer(text):
        if not _TIMING.match(text, times.start()):
            message = "these are no times such as 00:00:01,000 --> 00:00:02,500; mend them"
            raise DataError(message, name, lines.number(times.start()))
    while (timing := _TIMING.search(text, place)) is not None:
        start = timing.end() + 1
        if start > len(text):
            return
        place = start
        end = _end(text, start, numbered)
        while end > start and text[end - 1] in "\r\n \t":
            end -= 1
        if end > start:
            begins, ends = _seconds(*timing.groups()[:4]), _seconds(*timing.groups()[4:])
            yield Cue(start, end, begins, ends, lines.number(start))
            place = end


def _end(text: str, start: int, numbered: bool) -> int:
    """Where a cue's text ends at the latest: at the next cue's number or times, and without numbers at a blank line."""
    following = _TIMING.search(text, start)
    end = following.start() if following else len(text)
    if not numbered:
        blank = _EMPTY.search(text, start, end)
        return blank.start() if blank else end
    before = text.rfind("\n", start, max(start, end - 1)) + 1 or start
    return before if following and text[before:end].strip().isdecimal() else end


def _seconds(hours: str | None, minutes: str, seconds: str, thousandths: str | None) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{thousandths or 0}")
