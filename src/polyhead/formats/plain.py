"""Plain text: every line that has words is a unit. Line ends, blank lines and white space around lines stay."""

import re

from polyhead.formats.document import Source, TextDocument
from polyhead.formats.encoding import decoded
from polyhead.formats.splicing import Lines, Region, Spliced, single
from polyhead.formats.unit import has_words, without_margins
from polyhead.inline.codes import Marked

_LINE = re.compile(r"[^\r\n\0]+")


def read_plain(source: Source) -> TextDocument:
    """A text file's lines. Raises DataError for one in an unknown encoding."""
    text, encoding = decoded(source.content, source.name)
    return TextDocument(Spliced(text, tuple(_regions(text))), encoding)


def _regions(text: str) -> list[Region]:
    lines, regions = Lines(text), list[Region]()
    for line in _LINE.finditer(text):
        unit = without_margins(Marked(line[0]), lines.number(line.start()))
        if has_words(unit.marked):
            regions.append(single(text, line.start(), line.end(), unit, _one_line))
    return regions


def _one_line(whole: Marked) -> str:
    return re.sub(r"\s*[\r\n]+\s*", " ", whole.written())
