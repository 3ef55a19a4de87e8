"""ODT: paragraphs and headings of the text, of headers, footers, notes and frames are translated."""

import re
from collections.abc import Iterator

from polyhead.errors import DataError
from polyhead.formats.archive import LOCKED, ArchiveDocument, read_parts
from polyhead.formats.document import Source
from polyhead.formats.paragraphs import Break, Holder, Paragraph, Paragraphs, region
from polyhead.formats.splicing import Region
from polyhead.formats.xml_inline import marked
from polyhead.formats.xml_tree import Element, Tree
from polyhead.formats.xml_writing import escaped
from polyhead.inline.codes import Code, Marked

_PARTS = ("content.xml", "styles.xml")
_AROUND = frozenset({"span", "a", "meta", "meta-field"})
_LEFT = frozenset({"tracked-changes", "annotation"})
_SPACE = re.compile(r"[ \t\r\n]+")
_BREAK = re.compile(r"<(?:[^\s/>:]*:)?(?:line-break|tab)[\s/>]")
_SPACES = re.compile(" {2,}")


def read_odt(source: Source) -> ArchiveDocument:
    """An OpenDocument text. Raises DataError for a file that isn't one."""
    parts = read_parts(source.content, source.name)
    if b"encryption-data" in parts.get("META-INF/manifest.xml", b""):
        raise DataError(LOCKED, source.name)
    if "content.xml" not in parts:
        raise DataError("there is no content.xml in it; save it as .odt", source.name)
    names = [name for name in _PARTS if name in parts]
    return ArchiveDocument(source.content, tuple(_PARAGRAPHS.part(name, parts[name], source.name) for name in names))


def _is_paragraph(element: Element) -> bool:
    return element.name in ("p", "h") and element.namespace.endswith("xmlns:text:1.0")


def _is_left(element: Element) -> bool:
    return element.name in _LEFT


def _alike(element: Element) -> bool:
    return element.name in _AROUND and element.namespace.endswith("xmlns:text:1.0")


def _of_paragraph(tree: Tree, element: Element, name: str) -> Region | None:
    paragraph = Paragraph(element.inner_start, element.inner_end, list(_pieces(tree, element)))
    left = list(reversed(list(element.elements)))
    while left:
        child = left.pop()
        if _alike(child):
            left += reversed(list(child.elements))
        elif not _is_left(child) and (regions := _PARAGRAPHS.regions(tree, child, name)):
            paragraph.holders.append(Holder(tree.text[child.start : child.end], child.start, child.end, regions))
    return region(tree.text, paragraph, tree.line(element), name, _Written(tree.prefix(element)))


_PARAGRAPHS = Paragraphs(_is_paragraph, _is_left, _of_paragraph)


def _pieces(tree: Tree, element: Element) -> Iterator[str | Code | Break]:
    """A paragraph as text, codes, and breaks: line breaks and tabs."""
    for part in marked(tree, element, _alike).parts():
        if isinstance(part, str):
            yield _SPACE.sub(" ", part)
        elif _BREAK.match(part.content):
            yield Break(part.content, "line-break" in part.content)
        else:
            yield part


class _Written:
    """Writes a text of a paragraph. prefix: the namespace prefix of its elements."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def __call__(self, whole: Marked) -> str:
        return "".join(self._text(part) if isinstance(part, str) else part.content for part in whole.parts())

    def _text(self, text: str) -> str:
        """Text with spaces as the format has them: of several in a row, all but the first are one element."""
        text = escaped(text.replace("\n", " "))
        return _SPACES.sub(lambda found: f' <{self.prefix}s {self.prefix}c="{len(found[0]) - 1}"/>', text)
