"""SubRip subtitles (.srt): texts with the times from and to which they are shown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from polyhead.corpora.member import Member
from polyhead.corpora.text_lines import text_lines
from polyhead.errors import DataError

_TIMES = re.compile(
    r"\s*(\d{1,3}):(\d{1,2}):(\d{1,2})[,.](\d{1,3})\s*-->\s*(\d{1,3}):(\d{1,2}):(\d{1,2})[,.](\d{1,3})(?:\s.*)?"
)
_MOST_LINES = 1_000_000
_NUMBER = re.compile(r"\s*\d+\s*")
_FORMATTING = re.compile(r"</?(?:[biu]|font)\b[^<>]*>|\{\\[^{}]*\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cue:
    """A text and when it is shown, in seconds."""

    start: float
    end: float
    text: str
    """On one line and without formatting; empty where nothing is shown."""
    place: str


def read_cues(member: Member) -> list[Cue]:
    """The cues of a file in the order of their times. Raises DataError for a file that isn't SubRip."""
    return sorted(_cues(member), key=lambda cue: (cue.start, cue.end))


def _cues(member: Member) -> Iterator[Cue]:
    lines = list(islice(text_lines(member), _MOST_LINES + 1))
    if len(lines) > _MOST_LINES:
        raise DataError(f"these are more than {_MOST_LINES:,} lines, which no film has", member.name)
    rows = [row for row, line in enumerate(lines) if "-->" in line]
    if not rows:
        raise DataError(
            "this is no file of subtitles: no line has times such as 00:00:01,000 --> 00:00:02,500", member.name
        )
    for row, following in zip(rows, [*rows[1:], len(lines) + 1], strict=True):
        found = _TIMES.fullmatch(lines[row])
        if found is None:
            raise DataError("these are no times such as 00:00:01,000 --> 00:00:02,500", member.name, row + 1)
        shown = lines[row + 1 : following - 1 if _is_numbered(lines, following) else following]
        text = " ".join(word for line in shown for word in _FORMATTING.sub("", line).split())
        yield Cue(_seconds(*found.groups()[:4]), _seconds(*found.groups()[4:]), text, f"{member.name}:{row + 1}")


def _is_numbered(lines: list[str], row: int) -> bool:
    """Whether the line before that of a cue's times is its number, or stands in place of it at the end of the file."""
    return row > len(lines) or bool(_NUMBER.fullmatch(lines[row - 1]))


def _seconds(hours: str, minutes: str, seconds: str, fraction: str) -> float:
    return 3600 * int(hours) + 60 * int(minutes) + int(seconds) + int(fraction.ljust(3, "0")) / 1000
