"""DOCX: paragraphs of the text, of headers, footers, notes and frames are translated, with their formats as codes."""

import re

from polyhead.errors import DataError
from polyhead.formats.archive import ArchiveDocument, read_parts
from polyhead.formats.document import Source
from polyhead.formats.docx_runs import Runs
from polyhead.formats.paragraphs import Holder, Paragraph, Paragraphs, region
from polyhead.formats.splicing import Region
from polyhead.formats.xml_tree import Element, Tree

_PARTS = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_LEFT = frozenset({"del", "moveFrom"})
"""Elements with text that isn't the document's any more."""


def read_docx(source: Source) -> ArchiveDocument:
    """A Word document. Raises DataError for a file that isn't one."""
    parts = read_parts(source.content, source.name)
    names = sorted((name for name in parts if _PARTS.fullmatch(name)), key=_order)
    if "word/document.xml" not in names:
        raise DataError("there is no word/document.xml in it; save it as .docx", source.name)
    return ArchiveDocument(source.content, tuple(_PARAGRAPHS.part(name, parts[name], source.name) for name in names))


def _order(name: str) -> tuple[bool, str]:
    return name != "word/document.xml", name


def _is_paragraph(element: Element) -> bool:
    return element.name == "p" and "wordprocessingml" in element.namespace


def _is_left(element: Element) -> bool:
    return element.name in _LEFT and "wordprocessingml" in element.namespace


def _of_paragraph(tree: Tree, element: Element, name: str) -> Region | None:
    runs, properties = Runs.of(tree, element), element.first("pPr")
    paragraph = Paragraph(properties.end if properties else element.inner_start, element.inner_end)
    paragraph.pieces += runs.pieces()
    for content, inner in runs.holders():
        if not _is_left(inner) and (regions := _PARAGRAPHS.regions(tree, inner, name)):
            paragraph.holders.append(Holder(content, inner.start, inner.end, regions))
    return region(tree.text, paragraph, tree.line(element), name, runs.written)


_PARAGRAPHS = Paragraphs(_is_paragraph, _is_left, _of_paragraph)
