"""The units of XLIFF 1.0 to 1.2 (OASIS Standard, 1 February 2008)."""

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

_UNTRANSLATED = frozenset({"new", "needs-translation"})


def regions(tree: Tree, source: Source) -> Iterator[Region | tuple[int, str]]:
    """What is to be written anew, and notes on what is left as it is: a line and a sentence each.

    Raises DataError for a file with translations into another language.
    """
    for file in (element for element in tree.root.elements if element.name == "file"):
        units = [unit for unit in file.walk() if unit.name == "trans-unit"]
        done = any(_is_translated(unit) for unit in units)
        if check_target(
            file.attributes.get("target-language"), source.target_language, done, source.name, tree.line(file)
        ):
            tag = with_attributes(tree.tag(file), {"target-language": source.target_language})
            yield Region(file.start, file.inner_start, (), constant(tag))
        yield from _of_group(tree, file, is_translated=True)


def _of_group(tree: Tree, element: Element, is_translated: bool) -> Iterator[Region | tuple[int, str]]:
    """The regions within an element, unless it or what it stands in says that it isn't to be translated."""
    left = [(element, is_translated)]
    while left:
        inner, wanted = left.pop()
        wanted = {"no": False, "yes": True}.get(inner.attributes.get("translate", ""), wanted)
        if inner.name != "trans-unit":
            left += [(child, wanted) for child in inner.elements]
        elif wanted and not _is_translated(inner):
            yield from _of_unit(tree, inner)


def _is_translated(unit: Element) -> bool:
    target = unit.first("target")
    return target is not None and bool(target.children) and target.attributes.get("state") not in _UNTRANSLATED


def _of_unit(tree: Tree, unit: Element) -> Iterator[Region | tuple[int, str]]:
    source, target = unit.first("source"), unit.first("target")
    if source is None or not source.children:
        return
    segmented = unit.first("seg-source") or source
    text = without_margins(marked(tree, segmented, _alike), tree.line(source), unit.attributes.get("id", ""))
    if is_icu_choice(text.marked.text):
        yield text.line, left_choice(text.name)
        return
    start, end = (target.start, target.end) if target else (segmented.end, segmented.end)
    yield Region(start, end, (text,), _Writer(tree, source, target))


def _alike(element: Element) -> Half | Kept | bool:
    if element.name in ("bpt", "bx"):
        return Half(is_end=False, key=_key(element))
    if element.name in ("ept", "ex"):
        return Half(is_end=True, key=_key(element))
    if half := _angular(element):
        return half
    if element.name == "mrk" and element.attributes.get("mtype") == "protected":
        return Kept()
    return element.name not in XLIFF_CODES


def _angular(element: Element) -> Half | None:
    """What an `x` that Angular writes for a tag is half of: START_BOLD_TEXT and CLOSE_BOLD_TEXT are a pair."""
    kind, _, name = element.attributes.get("id", "").partition("_")
    is_half = element.name == "x" and kind in ("START", "CLOSE")
    return Half(is_end=kind == "CLOSE", key=f"x {name}") if is_half else None


def _key(element: Element) -> str:
    return element.attributes.get("rid") or element.attributes.get("id", "")


@dataclass(frozen=True)
class _Writer:
    """Writes a unit's translation, and a note on what is wrong with it."""

    tree: Tree
    source: Element
    target: Element | None

    def __call__(self, answers: Sequence[Answered]) -> str:
        (answer,) = answers
        name, space = f"{self.tree.prefix(self.target or self.source)}target", self.tree.indentation(self.source)
        tag = self.tree.tag(self.target) if self.target else f"<{name}>"
        tag = with_attributes(opened(tag), {"state": "needs-review-translation", "state-qualifier": "mt-suggestion"})
        note = f"{self.tree.prefix(self.source)}note"
        notes = [f'{space}<{note} from="polyhead">{escaped(problem)}</{note}>' for problem in answer.problems]
        before = "" if self.target else space
        return f"{before}{tag}{written(answer.proposed)}</{name}>{''.join(notes)}"
