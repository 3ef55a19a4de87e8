"""XML as a tree of elements that know where they stand in the text, so that all else can stay as it was.

The standard library's expat tells the place of everything it reads; libraries that build trees, such as lxml, forget
it, and write a document in a form of their own. Entities and external files are not read: a document that declares
entities is refused, and of any other a DOCTYPE is passed over.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pyexpat import ErrorString
from xml.parsers import expat

from polyhead.errors import DataError
from polyhead.formats.encoding import Encoding, decoded
from polyhead.formats.splicing import Lines

_DECLARED = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)""")
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_TAG = re.compile(r"""<(?:[^>"']|"[^"]*+"|'[^']*+')*+>""")
_DEEPEST = 500
LANGUAGE = "http://www.w3.org/XML/1998/namespace}lang"
"""The attribute xml:lang, as the names here are written."""


@dataclass(frozen=True)
class Text:
    """Text between tags."""

    content: str
    """The text as it is read, with entities and CDATA resolved."""
    start: int
    end: int


@dataclass(frozen=True)
class Other:
    """A comment, a processing instruction, or an entity that is not read."""

    start: int
    end: int


@dataclass
class Element:
    """An element; its places are in characters of the document."""

    name: str
    """The element's name without its prefix."""
    namespace: str
    attributes: Mapping[str, str]
    """Name → value. The name of an attribute with a prefix is its namespace, "}", and the name without the prefix."""
    start: int
    """Where its start tag begins."""
    inner_start: int
    """Where its content begins."""
    inner_end: int = 0
    end: int = 0
    children: list["Element | Text | Other"] = field(default_factory=list["Element | Text | Other"])

    @property
    def elements(self) -> Iterator["Element"]:
        """The elements directly within it."""
        return (child for child in self.children if isinstance(child, Element))

    def first(self, name: str) -> "Element | None":
        """The first element of a name directly within it."""
        return next((child for child in self.elements if child.name == name), None)

    def walk(self) -> Iterator["Element"]:
        """The element and all elements within it, in the order of their beginnings."""
        left: list[Element] = [self]
        while left:
            element = left.pop()
            yield element
            left += reversed(list(element.elements))

    @property
    def text(self) -> str:
        """All text within the element."""
        found, left = list[str](), list[Element | Text | Other]([self])
        while left:
            node = left.pop()
            if isinstance(node, Text):
                found.append(node.content)
            elif isinstance(node, Element):
                left += reversed(node.children)
        return "".join(found)


@dataclass(frozen=True)
class Tree:
    """A document."""

    text: str
    encoding: Encoding
    root: Element
    lines: Lines

    def line(self, element: Element) -> int:
        """The line that an element begins in."""
        return self.lines.number(element.start)

    def tag(self, element: Element) -> str:
        """An element's start tag as it is written."""
        return self.text[element.start : element.inner_start]

    def prefix(self, element: Element) -> str:
        """What stands before an element's name: a namespace's prefix with its colon, or nothing."""
        name = re.match(r"<([^\s/>]+)", self.tag(element))
        return name[1][: -len(element.name)] if name else ""

    def indentation(self, element: Element) -> str:
        """The line break and the white space before an element; empty where something else stands there."""
        begin = self.text.rfind("\n", 0, element.start)
        space = self.text[begin : element.start] if begin >= 0 else ""
        return ("\r" if space and self.text[begin - 1 : begin] == "\r" else "") + space if not space.strip() else ""


def read_xml(content: bytes, name: str) -> Tree:
    """The document in a file. Raises DataError for what isn't well-formed XML, or declares entities."""
    declared = _DECLARED.match(content.lstrip())
    text, encoding = decoded(content, name, declared[1].decode("ascii") if declared else None)
    builder = _Builder(text, name)
    root = builder.parsed()
    return Tree(text, encoding, root, Lines(text))


class _Builder:
    """Collects the elements from expat's events."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        declaration = _DECLARATION.match(text)
        self._skipped = declaration.end() if declaration else 0
        self._data = text[self._skipped :].encode("utf-8", "surrogatepass")
        self._lines = text.count("\n", 0, self._skipped)
        self._done = (0, self._skipped)  # bytes, and the characters they are
        self._open = [Element("", "", {}, 0, 0)]
        self._content: list[str] = []
        self._content_start = 0
        self._other: int | None = None

    def parsed(self) -> Element:
        parser = expat.ParserCreate("utf-8", "}")
        self._parser = parser
        parser.StartElementHandler = self._started
        parser.EndElementHandler = self._ended
        parser.CharacterDataHandler = self._characters
        parser.StartCdataSectionHandler = lambda: self._characters("")
        parser.CommentHandler = self._commented
        parser.ProcessingInstructionHandler = self._instructed
        parser.SkippedEntityHandler = self._skipped_entity
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            parser.Parse(self._data, True)
        except expat.ExpatError as error:
            message = f"it is not well-formed XML: {ErrorString(error.code)}; mend it"
            raise DataError(message, self._name, error.lineno + self._lines) from error
        return next(self._open[0].elements)

    def _place(self) -> int:
        """Where the parser is in the document, in characters."""
        index = self._parser.CurrentByteIndex
        done, place = self._done
        place += len(self._data[done:index].decode("utf-8", "surrogatepass"))
        self._done = (index, place)
        return place

    def _flush(self, place: int) -> None:
        if self._other is not None:
            self._open[-1].children.append(Other(self._other, place))
            self._other = None
        elif self._content:
            self._open[-1].children.append(Text("".join(self._content), self._content_start, place))
            self._content = []

    def _started(self, name: str, attributes: dict[str, str]) -> None:
        place = self._place()
        self._flush(place)
        if len(self._open) > _DEEPEST:
            line = self._parser.CurrentLineNumber + self._lines
            raise DataError(f"its elements are nested more than {_DEEPEST} deep", self._name, line)
        namespace, _, local = name.rpartition("}")
        tag = _TAG.match(self._text, place)
        element = Element(local, namespace, attributes, place, tag.end() if tag else place)
        self._open[-1].children.append(element)
        self._open.append(element)

    def _ended(self, name: str) -> None:
        del name
        place, element = self._place(), self._open.pop()
        self._open.append(element)
        self._flush(place)
        self._open.pop()
        element.inner_end = place
        element.end = (
            place
            if self._text.endswith("/>", 0, place) and place == element.inner_start
            else (self._text.index(">", place) + 1)
        )

    def _characters(self, data: str) -> None:
        place = self._place()
        if self._other is not None:
            self._flush(place)
        if not self._content:
            self._content_start = place
        self._content.append(data)

    def _commented(self, data: str) -> None:
        del data
        self._start_other()

    def _instructed(self, target: str, data: str) -> None:
        del target, data
        self._start_other()

    def _skipped_entity(self, name: str, is_parameter: bool) -> None:
        del name
        if not is_parameter:
            self._start_other()

    def _start_other(self) -> None:
        place = self._place()
        self._flush(place)
        self._other = place

    def _doctype(self, name: str, system: str | None, public: str | None, has_subset: int) -> None:
        del name, system, public
        if has_subset:
            message = "its DOCTYPE has declarations of its own, which are not read here; delete what is in its brackets"
            raise DataError(message, self._name, self._parser.CurrentLineNumber + self._lines)
