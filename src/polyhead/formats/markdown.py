"""Markdown: paragraphs, headings, list items and cells of tables are translated; all else stays byte for byte.

Also translated are the texts of HTML between them, and what readers see of the front matter, such as the title.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polyhead.errors import DataError
from polyhead.formats.document import Source, TextDocument
from polyhead.formats.encoding import decoded
from polyhead.formats.html_document import read_html_text
from polyhead.formats.markdown_inline import Image, Inline, Segment
from polyhead.formats.markdown_places import parser
from polyhead.formats.splicing import Region, Spliced, in_one_language
from polyhead.formats.unit import has_words, without_edges, without_margins
from polyhead.formats.yaml_strings import string_regions
from polyhead.inline.codes import Marked

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_SEEN = frozenset((key,) for key in ("title", "subtitle", "linkTitle", "sidebar_label", "description", "summary"))
"""Keys of a front matter whose values readers see."""
_FRONT = re.compile(r"\A(---|\+\+\+)[ \t]*\r?\n(?:[^\n]*\n)*?(?:\1|\.\.\.)[ \t]*(?:\r?\n|\Z)")


def read_markdown(source: Source) -> TextDocument:
    """A Markdown file: CommonMark with tables. Raises DataError for one in an unknown encoding."""
    text, encoding = decoded(source.content, source.name)
    found = list(_found(text))
    regions = tuple(each for each in found if isinstance(each, Region))
    return TextDocument(Spliced(text, regions), encoding, tuple(each for each in found if not isinstance(each, Region)))


@dataclass(frozen=True)
class _Line:
    """A line of the file."""

    start: int
    text: str
    """The text of the line, without the line break."""


def _lines(text: str) -> list[_Line]:
    return [_Line(line.start(), line[0].rstrip("\r\n")) for line in _LINE.finditer(text)]


def _found(text: str) -> Iterator[Region | tuple[int, str]]:
    """The regions of the blocks, and notes on those that were left as they are."""
    markdown, environment = parser(), dict[str, Any]()
    front = _FRONT.match(text)
    skipped = len(_LINE.findall(front[0])) - 1 if front else 0
    body = "\n" * skipped + text[front.end() :] if front else text
    inline, lines, place = Inline(markdown, environment), _lines(text), 0
    if front and front[1] == "---":
        yield from _in_front(front[0])
    before, kind = "", ""
    for token in markdown.parse(body, environment):
        before, kind = kind, token.type
        if kind == "html_block" and token.level == 0 and token.map:
            yield from _in_html(text, lines[token.map[0] : token.map[1]], token.map[0])
        if kind != "inline" or token.map is None or not token.content:
            continue
        own, is_cell = lines[token.map[0] : token.map[1]], before in ("th_open", "td_open")
        block = _cell(token.content, own[0], place) if is_cell else _block(token.content, own)
        if block is None:
            yield (
                token.map[0] + 1,
                "a character in it, such as NUL, is not read as it stands there, so it was left as it is",
            )
        else:
            place = block.end
            yield from _region(text, inline, token.content, token.map[0] + 1, block)


def _in_front(front: str) -> Iterator[Region | tuple[int, str]]:
    """The regions of what readers see of a front matter in YAML."""
    try:
        yield from (each for path, each in string_regions(front, "front matter") if path in _SEEN)
    except DataError:
        yield 1, "what stands before its text is not YAML, so it was left as it is"


def _in_html(text: str, lines: Sequence[_Line], before: int) -> Iterator[Region]:
    """The regions of a block of HTML; before: how many lines of the file stand before it."""
    start, end = lines[0].start, lines[-1].start + len(lines[-1].text)
    for region in read_html_text(text[start:end]).regions:
        units = tuple(replace(unit, line=unit.line + before) for unit in region.units)
        yield Region(start + region.start, start + region.end, units, region.write)


@dataclass(frozen=True)
class _Block:
    """Where the text of a block stands in the file."""

    start: int
    end: int
    prefixes: tuple[str, ...]
    """What stands before the text in each of its lines, such as "> "."""
    is_cell: bool = False
    """Whether the block is a cell of a table, in which a vertical bar is written with a backslash."""


def _cell(content: str, line: _Line, behind: int) -> _Block | None:
    """A cell of a table, which is looked for behind the place where the cell before it ends."""
    raw = content.replace("|", "\\|")
    column = line.text.find(raw, max(0, behind - line.start))
    start = line.start + column
    return _Block(start, start + len(raw), (line.text[:column],), is_cell=True) if column >= 0 else None


def _block(content: str, lines: Sequence[_Line]) -> _Block | None:
    """A paragraph or heading; None where its text isn't found in the file as it is, such as text with a NUL."""
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
    images = [image for segment in segments for image in segment.images]
    own = [units[number] for number in used]
    own += [without_margins(Marked(image.words), line + image.line, "picture") for image in images]
    if own:
        raw = text[block.start : block.end]
        line_end = "\r\n" if "\r\n" in raw else "\n"
        writer = _Writer(inline, tuple(segments), tuple(used), tuple(images), block, line_end)
        yield Region(block.start, block.end, tuple(own), in_one_language(raw, writer))


@dataclass(frozen=True)
class _Writer:
    """Writes a block's segments, each on a line of its own."""

    inline: Inline
    segments: tuple[Segment, ...]
    used: tuple[int, ...]
    """The numbers of the segments that are translated."""
    images: tuple[Image, ...]
    """The pictures whose words are translated, too."""
    block: _Block
    line_end: str

    def __call__(self, wholes: Sequence[Marked]) -> str:
        texts = dict(zip(self.used, wholes[: len(self.used)], strict=True))
        words = zip(self.images, wholes[len(self.used) :], strict=True)
        images = {image.raw: image.written(whole.written()) for image, whole in words}
        written = ""
        for number, segment in enumerate(self.segments):
            prefix = self.block.prefixes[segment.line] if number else ""
            written += prefix + self.inline.written(texts.get(number, segment.whole), images)
            written += segment.ending + (self.line_end if number + 1 < len(self.segments) else "")
        return _in_cell(written) if self.block.is_cell else written


def _in_cell(written: str) -> str:
    """Markdown as it is written in a cell of a table, which a bar would end that has no backslash before it."""
    written = written.replace("|", "\\|")
    return f"{written[:-2]}&#92;" if written.endswith("\\\\") else written
