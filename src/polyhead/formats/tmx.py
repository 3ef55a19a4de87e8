"""TMX: each unit without a text of the target language gets one; all else stays byte for byte."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyhead.errors import DataError, counted
from polyhead.formats.document import Source, TextDocument
from polyhead.formats.icu import is_icu_choice, left_choice
from polyhead.formats.languages_of_files import is_same
from polyhead.formats.splicing import Region, Spliced
from polyhead.formats.unit import Answered, without_margins
from polyhead.formats.xml_inline import TMX_CODES, Half, marked, written
from polyhead.formats.xml_tree import LANGUAGE, Element, Tree, read_xml
from polyhead.formats.xml_writing import with_attributes

_ANY = "*all*"


def read_tmx(source: Source) -> TextDocument:
    """A translation memory. Raises DataError for a file that isn't one, or has no text of the source language."""
    tree = read_xml(source.content, source.name)
    if tree.root.name != "tmx":
        raise DataError(f"its root is <{tree.root.name[:40]}>, where TMX has <tmx>", source.name, 1)
    header = tree.root.first("header")
    usual = header.attributes.get("srclang", _ANY) if header else _ANY
    units = [element for element in tree.root.walk() if element.name == "tu"]
    found = [each for unit in units for each in _of_unit(tree, unit, source, usual)]
    regions = [each for each in found if isinstance(each, Region)]
    left = tuple(each for each in found if not isinstance(each, Region))
    lacking = [
        unit for unit in units if not _variant(unit, source.target_language) and not _source(unit, source, usual)
    ]
    languages = sorted({_language(variant) for unit in units for variant in _variants(unit)} - {""})
    if languages and len(lacking) == len(units):
        wanted = sorted({_wanted(unit, source, usual) for unit in units if any(_variants(unit))})
        message = f"it has no texts in {', '.join(wanted)[:20]} but in {', '.join(languages)[:80]}; name one of these"
        raise DataError(message, source.name)
    said = f"{counted(len(lacking), 'unit')} from here on without a text to translate"
    notes = ((tree.line(lacking[0]), said),) if lacking else ()
    return TextDocument(Spliced(tree.text, tuple(regions)), tree.encoding, (*left, *notes))


def _variants(unit: Element) -> Iterator[Element]:
    return (element for element in unit.elements if element.name == "tuv")


def _language(variant: Element) -> str:
    return variant.attributes.get(LANGUAGE) or variant.attributes.get("lang", "")


def _variant(unit: Element, language: str) -> Element | None:
    """A unit's text in a language: one with this very code, else one with a more or a less exact code."""
    found = [variant for variant in _variants(unit) if is_same(_language(variant), language)]
    return min(found, key=lambda variant: _language(variant).lower() != language.lower(), default=None)


def _wanted(unit: Element, source: Source, usual: str) -> str:
    """The language that a unit is translated from."""
    return source.source_language or unit.attributes.get("srclang", usual)


def _source(unit: Element, source: Source, usual: str) -> Element | None:
    """A unit's text in the language to translate from."""
    language = _wanted(unit, source, usual)
    return next(_variants(unit), None) if language == _ANY else _variant(unit, language)


def _of_unit(tree: Tree, unit: Element, source: Source, usual: str) -> Iterator[Region | tuple[int, str]]:
    if _variant(unit, source.target_language):
        return
    found = _source(unit, source, usual)
    segment = found.first("seg") if found else None
    if found is None or segment is None or not segment.children:
        return
    text = without_margins(marked(tree, segment, _alike), tree.line(segment), unit.attributes.get("tuid", ""))
    if is_icu_choice(text.marked.text):
        yield text.line, left_choice(text.name)
        return
    last = list(_variants(unit))[-1]
    yield Region(last.end, last.end, (text,), _Writer(tree, found, segment, source.target_language))


def _alike(element: Element) -> Half | bool:
    if element.name in ("bpt", "ept"):
        return Half(is_end=element.name == "ept", key=element.attributes.get("i", ""))
    return element.name not in TMX_CODES


@dataclass(frozen=True)
class _Writer:
    """Writes a text of the target language like that of the source; nothing where something is wrong with it."""

    tree: Tree
    variant: Element
    segment: Element
    language: str

    def __call__(self, answers: Sequence[Answered]) -> str:
        (answer,) = answers
        if answer.problems:
            return ""
        prefix = self.tree.prefix(self.variant)
        name = "xml:lang" if LANGUAGE in self.variant.attributes else "lang"
        tag = with_attributes(f"<{prefix}tuv>", {name: self.language, "creationtool": "polyhead"})
        space, inner = self.tree.indentation(self.variant), self.tree.indentation(self.segment)
        outer = space if inner else ""
        return f"{space}{tag}{inner}<{prefix}seg>{written(answer.whole)}</{prefix}seg>{outer}</{prefix}tuv>"
