"""Paragraphs of office documents as regions: text with codes, line breaks, and paragraphs within them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from polyhead.formats.archive import Part
from polyhead.formats.line_breaks import is_in_sentence
from polyhead.formats.splicing import Region, Spliced, filled
from polyhead.formats.unit import Answered, Unit, has_words, without_edges
from polyhead.formats.xml_tree import Element, Tree, read_xml
from polyhead.inline.codes import Code, Marked

Piece = str | Code
"""Text, or a code."""
_JOINED = "joined "
"""What the content of a line break within a sentence begins with."""


@dataclass(frozen=True)
class Break:
    """A line break or a tab: what stands before it and behind it are two texts, unless a sentence goes on there."""

    written: str
    ends_line: bool
    """Whether it is a line break; a sentence never goes on behind a tab."""


@dataclass(frozen=True)
class Holder:
    """Something within a paragraph that holds paragraphs itself, such as a footnote or a frame."""

    content: str
    """The content of the code that stands for it in the paragraph's text."""
    start: int
    """Where it begins in the part, in characters."""
    end: int
    regions: tuple[Region, ...]


@dataclass
class Paragraph:
    """A paragraph as it is read."""

    start: int
    """Where the paragraph's content begins in the part, behind the paragraph's properties."""
    end: int
    pieces: list[Piece | Break] = field(default_factory=list[Piece | Break])
    holders: list[Holder] = field(default_factory=list[Holder])


@dataclass(frozen=True)
class Paragraphs:
    """How the paragraphs of a format are found, and read."""

    is_paragraph: Callable[[Element], bool]
    is_left: Callable[[Element], bool]
    """Which elements aren't looked into."""
    read: Callable[[Tree, Element, str], Region | None]
    """A part's tree, a paragraph of it and its name → its region; None where there is nothing to translate."""

    def part(self, name: str, content: bytes, file: str) -> Part:
        """A part of an archive; file: what messages call the archive."""
        tree = read_xml(content, f"{file}, {name}")
        return Part(name, tree, Spliced(tree.text, self.regions(tree, tree.root, name)))

    def regions(self, tree: Tree, element: Element, name: str) -> tuple[Region, ...]:
        """The regions of the paragraphs within an element, in order."""
        found = list[Region]()
        for number, paragraph in enumerate(outermost(element, self.is_paragraph, self.is_left), start=1):
            each = self.read(tree, paragraph, f"{name}, paragraph {number}")
            found += [each] if each else []
        return tuple(found)


def outermost(
    element: Element, is_paragraph: Callable[[Element], bool], is_left: Callable[[Element], bool]
) -> Iterator[Element]:
    """The paragraphs in an element that are in no other one, in order; `is_left` says what isn't looked into."""
    left = list(reversed(list(element.elements)))
    while left:
        child = left.pop()
        if is_paragraph(child):
            yield child
        elif not is_left(child):
            left += reversed(list(child.elements))


def region(text: str, paragraph: Paragraph, line: int, name: str, render: Callable[[Marked], str]) -> Region | None:
    """The region of a paragraph; None where there is nothing to translate.

    text: the part's
    render: writes a text of the paragraph
    """
    segments = _segments(paragraph.pieces)
    units = [without_edges(whole, line, name) if isinstance(whole, Marked) else None for whole in segments]
    units = [unit if unit and has_words(unit.marked) else None for unit in units]
    inner = [unit for holder in paragraph.holders for each in holder.regions for unit in each.units]
    own = [unit for unit in units if unit]
    if not own and not inner:
        return None
    writer = _Writer(text, paragraph, tuple(segments), tuple(units), render)
    return Region(paragraph.start, paragraph.end, (*own, *inner), writer)


def _segments(pieces: Sequence[Piece | Break]) -> list[Marked | Break]:
    """The texts of a paragraph and what stands between them. A line break within a sentence is a code and a space."""
    parts, breaks = [list[Piece]()], list[Break]()
    for piece in pieces:
        if isinstance(piece, Break):
            parts.append([])
            breaks.append(piece)
        else:
            parts[-1].append(piece)
    segments, text = list[Marked | Break](), parts[0]
    for line_break, following in zip(breaks, parts[1:], strict=True):
        if line_break.ends_line and is_in_sentence(_end(text, -1), _end(following, 0)):
            text = [*text, Code(f"{_JOINED}{line_break.written}", 0, 0), " ", *following]
        else:
            segments += [Marked.of(text), line_break]
            text = following
    return [*segments, Marked.of(text)]


def _end(pieces: Sequence[Piece], place: int) -> str:
    """The last line of some pieces (place -1), or all of them (0), as text."""
    texts = [piece if isinstance(piece, str) else "\n" if piece.content.startswith(_JOINED) else "" for piece in pieces]
    return "".join(texts).split("\n")[place]


@dataclass(frozen=True)
class _Writer:
    """Writes a paragraph. Unless its own text changes, only what is within its holders is written anew."""

    text: str
    paragraph: Paragraph
    segments: tuple[Marked | Break, ...]
    units: tuple[Unit | None, ...]
    """The unit of each segment; None for a segment that isn't translated."""
    render: Callable[[Marked], str]

    def __call__(self, answers: Sequence[Answered]) -> str:
        count = sum(unit is not None for unit in self.units)
        own, inner = answers[:count], list(answers[count:])
        holders = self.paragraph.holders
        if not any(answer.is_changed for answer in own):
            regions = [each for holder in holders for each in holder.regions]
            return filled(self.text, self.paragraph.start, self.paragraph.end, regions, inner)
        contents, done = dict[str, str](), 0
        for holder in holders:
            size = sum(len(each.units) for each in holder.regions)
            new = filled(self.text, holder.start, holder.end, holder.regions, inner[done : done + size])
            contents[holder.content] = holder.content.replace(self.text[holder.start : holder.end], new)
            done += size
        return "".join(self._written(own, contents))

    def _written(self, own: Sequence[Answered], contents: dict[str, str]) -> Iterator[str]:
        remaining = iter(own)
        for segment, unit in zip(self.segments, self.units, strict=True):
            if isinstance(segment, Break):
                yield segment.written
                continue
            whole = _without_joints(_in_order(next(remaining).whole, segment) if unit else segment)
            codes = (
                Code(contents.get(code.content, code.content), code.start, code.end, code.role, code.pair)
                for code in whole.codes
            )
            yield self.render(Marked(whole.text, tuple(codes)))


def _in_order(whole: Marked, source: Marked) -> Marked:
    """A translation in which the tags that have their other halves in other texts stand in the order of the source.

    In another order one element would be closed within another, and the part would not be XML any more.
    """
    halves = Counter(code.pair for code in source.codes if code.pair is not None)
    cut = [code.content for code in source.codes if code.pair is not None and halves[code.pair] == 1]
    if len(cut) < 2:
        return whole
    ordered = iter(cut)  # in the translation such a half is a code alone
    codes = (
        replace(code, content=next(ordered, code.content))
        if code.content in cut and halves.get(code.pair or 0) != 2
        else code
        for code in whole.codes
    )
    return Marked(whole.text, tuple(codes))


def _without_joints(whole: Marked) -> Marked:
    """A text whose line breaks are written as they were, without the space that the model read behind them."""
    parts, is_behind = list[Piece](), False
    for part in whole.parts():
        if isinstance(part, str):
            parts.append(part.removeprefix(" ") if is_behind else part)
            is_behind = False
        else:
            is_behind = part.content.startswith(_JOINED)
            parts.append(replace(part, content=part.content.removeprefix(_JOINED)))
    return Marked.of(parts)
