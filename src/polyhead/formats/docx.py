"""DOCX: paragraphs of the text, of headers, footers, notes and frames are translated, with their formats as codes."""

import re

from polyhead.errors import DataError
from polyhead.formats.archive import ArchiveDocument, Part, read_parts
from polyhead.formats.document import Source
from polyhead.formats.docx_runs import Runs
from polyhead.formats.paragraphs import Holder, Paragraph, outermost, region
from polyhead.formats.splicing import Region, Spliced
from polyhead.formats.xml_tree import Element, Tree, read_xml

_PARTS = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_LEFT = frozenset({"del", "moveFrom"})
"""Elements with text that isn't the document's any more."""


def read_docx(source: Source) -> ArchiveDocument:
    """A Word document. Raises DataError for a file that isn't one."""
    parts = read_parts(source.content, source.name)
    names = sorted((name for name in parts if _PARTS.fullmatch(name)), key=_order)
    if "word/document.xml" not in names:
        raise DataError("there is no word/document.xml in it; save it as .docx", source.name)
    return ArchiveDocument(source.content, tuple(_part(name, parts[name], source.name) for name in names))


def _order(name: str) -> tuple[bool, str]:
    return name != "word/document.xml", name


def _part(name: str, content: bytes, file: str) -> Part:
    tree = read_xml(content, f"{file}, {name}")
    return Part(name, tree, Spliced(tree.text, _regions(tree, tree.root, name)))


def _regions(tree: Tree, element: Element, name: str) -> tuple[Region, ...]:
    """The regions of the paragraphs within an element, in order."""
    found = list[Region]()
    for number, paragraph in enumerate(outermost(element, _is_paragraph, _is_left), start=1):
        each = _of_paragraph(tree, paragraph, f"{name}, paragraph {number}")
        found += [each] if each else []
    return tuple(found)


def _is_paragraph(element: Element) -> bool:
    return element.name == "p" and "wordprocessingml" in element.namespace


def _is_left(element: Element) -> bool:
    return element.name in _LEFT and "wordprocessingml" in element.namespace


def _of_paragraph(tree: Tree, element: Element, name: str) -> Region | None:
    runs, properties = Runs.of(tree, element), element.first("pPr")
    paragraph = Paragraph(properties.end if properties else element.inner_start, element.inner_end)
    paragraph.pieces += runs.pieces()
    for content, inner in runs.holders():
        if not _is_left(inner) and (regions := _regions(tree, inner, name)):
            paragraph.holders.append(Holder(content, inner.start, inner.end, regions))
    return region(tree.text, paragraph, tree.line(element), name, runs.written)
