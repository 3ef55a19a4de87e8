"""HTML and XML cut into tags, text and other markup, so that the pieces together are the document, byte for byte.

html.parser of the standard library neither tells where a piece ends nor agrees with itself across versions of Python,
and parsers that build trees write them in a form of their own. So this is the HTML standard's tokenization as far as
it decides where pieces begin and end: https://html.spec.whatwg.org/multipage/parsing.html#tokenization. XML is cut here
where it may be a part of a document, or a faulty one, which no parser of XML takes; `xml_tree` reads whole documents.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Literal

from polyhead.inline.codes import Code

Kind = Literal["text", "start", "end", "other"]

_QUOTED = r"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))"""
_MARKUP = re.compile(
    rf"""(?P<other><!--(?:-?>|.*?(?:--!?>|\Z))|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[!?][^>]*+(?:>|\Z)|</[^a-zA-Z][^>]*+(?:>|\Z))
    |<(?P<slash>/?)(?P<name>[a-zA-Z][^\s/>]*+)(?:=\s*+{_QUOTED}|[^>])*+(?:>|\Z)""",
    re.DOTALL | re.VERBOSE,
)
_XML_MARKUP = re.compile(
    rf"""<!--.*?(?:-->|(\Z))|<!\[CDATA\[.*?(?:\]\]>|(\Z))|<\?.*?(?:\?>|(\Z))|<![^>]*+(?:>|(\Z))
    |<(?P<slash>/)?(?P<name>(?:[^\W\d]|:)[^\s/<>]*+)(?:=\s*+{_QUOTED}|[^<>])*+(?:>|(\Z))""",
    re.DOTALL | re.VERBOSE,
)
"""A group is empty where a tag, a comment or the like has no end before the end of the document."""
_ATTRIBUTE = re.compile(rf"""([^\s"'>/=][^\s>/=]*+)(?:\s*+=\s*+({_QUOTED}|[^\s"'>][^\s>]*+))?""")
_RAW = frozenset({"script", "style", "textarea", "xmp", "iframe", "noembed", "noframes"})
"""Elements in which a tag is no tag."""
_SPACE = re.compile(r"[ \t\n\r\f]+")
_LONGEST_READ = 100
"""Characters of protected text that a model is shown within a sentence."""
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())  # noqa: SIM905
"""HTML's elements that have no end tag."""


@dataclass(frozen=True)
class Attribute:
    """An attribute of a tag that has a value."""

    name: str
    value: str
    """The value as it is read, with entities resolved."""
    start: int
    """Where the value with its quotation marks begins, in characters of the tag."""
    end: int


@dataclass(frozen=True)
class Token:
    """A piece of a document."""

    kind: Kind
    raw: str
    """The piece as it is written."""
    start: int
    """Where the piece begins in the document, in characters."""
    name: str = ""
    """For a tag, the name of its element, in lower case for HTML; else empty."""

    @property
    def end(self) -> int:
        """Where the piece ends in the document."""
        return self.start + len(self.raw)

    @property
    def is_empty(self) -> bool:
        """Whether this is a start tag of HTML whose element has no content."""
        return self.name in VOID or self.raw.endswith("/>")

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes of a start tag, in order, each name once."""
        if self.kind != "start":
            return ()
        found: dict[str, Attribute] = {}
        for match in _ATTRIBUTE.finditer(self.raw, len(self.name) + 1):
            raw = match[2] or ""
            value = raw[1:-1] if raw[:1] in ("'", '"') else raw
            place = match.span(2) if match[2] else (match.end(), match.end())
            found.setdefault(match[1].lower(), Attribute(match[1].lower(), unescape(value), *place))
        return tuple(found.values())

    def attribute(self, name: str) -> str | None:
        """The value of an attribute; None where it isn't there."""
        return next((each.value for each in self.attributes if each.name == name), None)


def tokens(document: str) -> Iterator[Token]:
    """The pieces of HTML, in order; joined as they are written, they are the document."""
    done = 0
    while (found := _MARKUP.search(document, done)) is not None:
        if found.start() > done:
            yield Token("text", document[done : found.start()], done)
        done = found.end()
        if found["other"]:
            yield Token("other", found[0], found.start())
            continue
        name = found["name"].lower()
        yield Token("end" if found["slash"] else "start", found[0], found.start(), name)
        if name in _RAW and not found["slash"] and not found[0].endswith("/>"):
            end = re.compile(rf"</{re.escape(name)}(?=[\s/>])", re.IGNORECASE).search(document, done)
            inside = end.start() if end else len(document)
            if inside > done:
                yield Token("other", document[done:inside], done)
            done = inside
    if done < len(document):
        yield Token("text", document[done:], done)


def xml_tokens(document: str) -> Iterator[Token]:
    """The pieces of XML, in order, as `tokens` has those of HTML; a tag or a comment without an end is text."""
    done = 0
    for found in _XML_MARKUP.finditer(document):
        if "" in found.groups():
            break
        if found.start() > done:
            yield Token("text", document[done : found.start()], done)
        done = found.end()
        kind = "other" if found["name"] is None else "end" if found["slash"] else "start"
        yield Token(kind, found[0], found.start(), found["name"] or "")
    if done < len(document):
        yield Token("text", document[done:], done)


def protected(kept: Sequence[Token]) -> Code | tuple[str, str]:
    """Pieces that stay as they are, as one code within a text, of which a model is shown the words if they are few."""
    content = "".join(token.raw for token in kept)
    read = _SPACE.sub(" ", "".join(unescape(token.raw) for token in kept if token.kind == "text"))
    return (content, read) if read.strip() and len(read) <= _LONGEST_READ else Code(content, 0, 0)
