"""The units of XLIFF 2.0 to 2.2 (OASIS)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyhead.formats.document import Source
from polyhead.formats.icu import is_icu_choice, left_choice
from polyhead.formats.languages_of_files import check_target
from polyhead.formats.splicing import Region, constant
from polyhead.formats.unit import Answered, without_margins
from polyhead.formats.xml_inline import XLIFF_CODES, Half, Kept, marked, written
from polyhead.formats.xml_tree import Element, Tree
from polyhead.formats.xml_writing import escaped, opened, with_attributes

_GOOD = {"state": "translated", "subState": "polyhead:machine"}
_DOUBTFUL = {"state": "initial", "subState": "polyhead:doubtful"}


def regions(tree: Tree, source: Source) -> Iterator[Region | tuple[int, str]]:
    """What is to be written anew, and notes on what is left as it is: a line and a sentence each.

    Raises DataError for a file with translations into another language.
    """
    segments = [element for element in tree.root.walk() if element.name == "segment"]
    said = tree.root.attributes.get("trgLang")
    if check_target(
        said, source.target_language, any(map(_is_translated, segments)), source.name, tree.line(tree.root)
    ):
        tag = with_attributes(tree.tag(tree.root), {"trgLang": source.target_language})
        yield Region(tree.root.start, tree.root.inner_start, (), constant(tag))
    left = [(tree.root, True)]
    while left:
        element, wanted = left.pop()
        wanted = {"no": False, "yes": True}.get(element.attributes.get("translate", ""), wanted)
        if element.name != "unit":
            left += [(child, wanted) for child in element.elements]
        elif wanted:
            yield from _of_unit(tree, element)


def _is_translated(segment: Element) -> bool:
    target = segment.first("target")
    return target is not None and bool(target.children)


def _of_unit(tree: Tree, unit: Element) -> Iterator[Region | tuple[int, str]]:
    """The region of a unit: from where a note on it would stand to the end of its last segment."""
    segments = [
        segment
        for segment in unit.elements
        if segment.name == "segment"
        and not _is_translated(segment)
        and (own := segment.first("source"))
        and own.children
    ]
    choices = [segment for segment in segments if is_icu_choice("".join(each.text for each in segment.elements))]
    yield from ((tree.line(segment), left_choice(unit.attributes.get("id", ""))) for segment in choices)
    segments = [segment for segment in segments if segment not in choices]
    if not segments:
        return
    notes = unit.first("notes")
    first = next(child for child in unit.elements if child.name in ("originalData", "segment", "ignorable"))
    if notes is not None and notes.end > segments[0].start:
        notes = None
    start = first.start if notes is None else notes.start
    units = tuple(
        without_margins(marked(tree, source, _alike), tree.line(source), unit.attributes.get("id", ""))
        for segment in segments
        if (source := segment.first("source"))
    )
    yield Region(start, segments[-1].end, units, _Writer(tree, tuple(segments), start, notes, unit))


def _alike(element: Element) -> Half | Kept | bool:
    if element.name == "sc":
        return Half(is_end=False, key=element.attributes.get("id", ""))
    if element.name == "ec":
        return Half(is_end=True, key=element.attributes.get("startRef", ""))
    if element.name == "mrk" and element.attributes.get("translate") == "no":
        return Kept()
    return element.name not in XLIFF_CODES


@dataclass(frozen=True)
class _Writer:
    """Writes the segments of a unit with their translations, and before them a note on what is wrong with these."""

    tree: Tree
    segments: tuple[Element, ...]
    start: int
    notes: Element | None
    """Where notes stand already, from `start` on."""
    unit: Element

    def __call__(self, answers: Sequence[Answered]) -> str:
        result, done = self._noted([problem for answer in answers for problem in answer.problems])
        for segment, answer in zip(self.segments, answers, strict=True):
            result += self.tree.text[done : segment.start] + self._segment(segment, answer)
            done = segment.end
        return result

    def _noted(self, problems: Sequence[str]) -> tuple[str, int]:
        """The unit's notes with those on problems, and where in the file what follows them begins."""
        if not problems:
            return "", self.start
        prefix = self.tree.prefix(self.unit)
        notes = "".join(f'<{prefix}note category="polyhead">{escaped(each)}</{prefix}note>' for each in problems)
        if self.notes is None:
            space = self.tree.indentation(self.segments[0])
            return f"<{prefix}notes>{notes}</{prefix}notes>{space}", self.start
        before = self.tree.text[self.notes.inner_start : self.notes.inner_end]
        end = self.tree.text[self.notes.inner_end : self.notes.end] or f"</{prefix}notes>"
        return f"{opened(self.tree.tag(self.notes))}{before}{notes}{end}", self.notes.end

    def _segment(self, segment: Element, answer: Answered) -> str:
        text, source, target = self.tree.text, segment.first("source"), segment.first("target")
        assert source is not None, "segments without a source have no region"
        name = f"{self.tree.prefix(target or source)}target"
        tag = opened(self.tree.tag(target)) if target else f"{self.tree.indentation(source)}<{name}>"
        start, end = (target.start, target.end) if target else (source.end, source.end)
        begin = with_attributes(self.tree.tag(segment), _DOUBTFUL if answer.problems else _GOOD)
        before, behind = text[segment.inner_start : start], text[end : segment.end]
        return f"{begin}{before}{tag}{written(answer.proposed)}</{name}>{behind}"
