"""SubRip subtitles (.srt): texts with the times from and to which they are shown."""

from collections.abc import Iterator
from dataclasses import dataclass

from polyhead.corpora.compressed import read_whole
from polyhead.corpora.member import Member
from polyhead.errors import DataError
from polyhead.formats.cue_text import marked
from polyhead.formats.cues import cues
from polyhead.formats.encoding import decoded


@dataclass(frozen=True, slots=True)
class Cue:
    """A text and when it is shown, in seconds."""

    start: float
    end: float
    text: str
    """The text on one line and without formatting; empty where a cue has nothing but formatting."""
    place: str


def read_cues(member: Member) -> list[Cue]:
    """The cues of a file that have text, in the order of their times. Raises DataError for a file that isn't SubRip."""
    return sorted(_cues(member), key=lambda cue: (cue.start, cue.end))


def _cues(member: Member) -> Iterator[Cue]:
    data = read_whole(member)
    if not data:
        raise DataError("the file is empty", member.name)
    text, _ = decoded(data, member.name)
    if "-->" not in text:
        message = "this is no file of subtitles: no line has times such as 00:00:01,000 --> 00:00:02,500"
        raise DataError(message, member.name)
    for cue in cues(text, member.name, numbered=True):
        shown = marked(text[cue.start : cue.end], escaped=False).text
        yield Cue(cue.begins, cue.ends, " ".join(shown.split()), f"{member.name}:{cue.line}")
