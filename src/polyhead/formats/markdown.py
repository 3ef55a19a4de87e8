"""Markdown: paragraphs, headings, list items and cells of tables are translated; all else stays byte for byte."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from polyhead.formats.document import Source, TextDocument
from polyhead.formats.encoding import decoded
from polyhead.formats.markdown_inline import Inline, Segment
from polyhead.formats.markdown_places import parser
from polyhead.formats.splicing import Region, Spliced, in_one_language
from polyhead.formats.unit import has_words, without_edges
from polyhead.inline.codes import Marked

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_FRONT = re.compile(r"\A(---|\+\+\+)[ \t]*\r?\n(?:.*\r?\n)*?(?:\1|\.\.\.)[ \t]*(?:\r?\n|\Z)")


def read_markdown(source: Source) -> TextDocument:
    """A Markdown file: CommonMark with tables. Raises DataError for one in an unknown encoding."""
    text, encoding = decoded(source.content, source.name)
    return TextDocument(Spliced(text, tuple(_regions(text))), encoding)


@dataclass(frozen=True)
class _Line:
    """A line of the file."""

    start: int
    text: str
    """Without its end."""


def _lines(text: str) -> list[_Line]:
    return [_Line(line.start(), line[0].rstrip("\r\n")) for line in _LINE.finditer(text)]


def _regions(text: str) -> Iterator[Region]:
    markdown, environment = parser(), dict[str, Any]()
    front = _FRONT.match(text)
    skipped = len(_LINE.findall(front[0])) - 1 if front else 0
    body = "\n" * skipped + text[front.end() :] if front else text
    inline, lines, place = Inline(markdown, environment), _lines(text), 0
    for before, token in pairwise(markdown.parse(body, environment)):
        if token.type != "inline" or token.map is None or not token.content:
            continue
        own, is_cell = lines[token.map[0] : token.map[1]], before.type in ("th_open", "td_open")
        block = _cell(token.content, own[0], place) if is_cell else _block(token.content, own)
        if block is not None:
            place = block.end
            yield from _region(text, inline, token.content, token.map[0] + 1, block)


@dataclass(frozen=True)
class _Block:
    """Where the text of a block stands in the file."""

    start: int
    end: int
    prefixes: tuple[str, ...]
    """What stands before it in each of its lines, such as "> "."""
    is_cell: bool = False
    """Whether it is a cell of a table, in which a vertical bar is written with a backslash."""


def _cell(content: str, line: _Line, behind: int) -> _Block | None:
    """A cell of a table, behind the place where the one before ends."""
    raw = content.replace("|", "\\|")
    column = line.text.find(raw, max(0, behind - line.start))
    start = line.start + column
    return _Block(start, start + len(raw), (line.text[:column],), is_cell=True) if column >= 0 else None


def _block(content: str, lines: Sequence[_Line]) -> _Block | None:
    """A paragraph or heading; None where its text isn't found in the file as it is, since a TAB was cut in two."""
    parts = [part.strip() for part in content.split("\n")]
    columns = [line.text.rfind(part) for part, line in zip(parts, lines, strict=False)]
    if min(columns) < 0 or len(columns) < len(parts):
        return None
    prefixes = tuple(line.text[:column] for column, line in zip(columns, lines, strict=False))
    end = lines[len(parts) - 1].start + columns[-1] + len(parts[-1])
    return _Block(lines[0].start + columns[0], end, prefixes)


def _region(text: str, inline: Inline, content: str, line: int, block: _Block) -> Iterator[Region]:
    """The region of a block, if it has words."""
    segments = inline.segments(content)
    units = [without_edges(segment.whole, line + segment.line) for segment in segments]
    used = [number for number, unit in enumerate(units) if has_words(unit.marked)]
    if used:
        raw = text[block.start : block.end]
        writer = _Writer(inline, tuple(segments), tuple(used), block, "\r\n" if "\r\n" in raw else "\n")
        yield Region(block.start, block.end, tuple(units[number] for number in used), in_one_language(raw, writer))


@dataclass(frozen=True)
class _Writer:
    """Writes a block's segments, each on a line of its own."""

    inline: Inline
    segments: tuple[Segment, ...]
    used: tuple[int, ...]
    """The numbers of the segments that are translated."""
    block: _Block
    line_end: str

    def __call__(self, wholes: Sequence[Marked]) -> str:
        texts = dict(zip(self.used, wholes, strict=True))
        written = ""
        for number, segment in enumerate(self.segments):
            prefix = self.block.prefixes[segment.line] if number else ""
            written += prefix + self.inline.written(texts.get(number, segment.whole))
            written += segment.ending + (self.line_end if number + 1 < len(self.segments) else "")
        return _in_cell(written) if self.block.is_cell else written


def _in_cell(written: str) -> str:
    """Markdown in a cell of a table, which a bar ends, unless a backslash stands before it."""
    written = written.replace("|", "\\|")
    return f"{written[:-2]}&#92;" if written.endswith("\\\\") else written
