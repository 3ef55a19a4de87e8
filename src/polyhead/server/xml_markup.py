"""XML whose text is translated and whose tags stay, as DeepL's clients send it: a piece of a document, in any tags."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from html import unescape

from polyhead.server.markup import Node

_WHOLE = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"))
"""What has no text in it, by its beginning and its end."""
_QUOTES = "\"'"


def split_xml(document: str, ignored: AbstractSet[str] = frozenset()) -> list[Node]:
    """The nodes of a piece of XML in order; `"".join` of their contents is the document with its entities resolved.

    ignored: names of elements whose content isn't text; what isn't well-formed is
    Text without letters is markup too, so that it comes back as it was written.
    """
    nodes: list[Node] = []
    within: list[str] = []  # the open elements from the outermost ignored one
    for content, name in _pieces(document):
        text = unescape(content) if name is None and not within else ""
        if any(map(str.isalpha, text)):
            nodes.append(Node(text, is_text=True))
            continue
        nodes.append(Node(content, is_text=False))
        if not name or content.endswith("/>"):
            continue
        if content.startswith("</"):
            if name in within:
                while within.pop() != name:
                    pass
        elif within or name in ignored:
            within.append(name)
    return nodes


def _pieces(document: str) -> Iterator[tuple[str, str | None]]:
    """The pieces of a document with what they are: a tag's name, "" for a comment and the like, None for text."""
    start = at = 0
    while (at := document.find("<", at)) >= 0:
        end, name = _markup(document, at)
        if name is not None:
            if start < at:
                yield document[start:at], None
            yield document[at:end], name
            start = end
        at = end
    if start < len(document):
        yield document[start:], None


def _markup(document: str, start: int) -> tuple[int, str | None]:
    """The markup that begins at a "<": its end, and its name as in `_pieces`.

    Of what is none, None and the place that the search for more goes on at: it never goes back, so that a document
    takes a time that grows with its length alone.
    """
    for begin, close in _WHOLE:
        if document.startswith(begin, start):
            end = document.find(close, start + len(begin))
            return (end + len(close), "") if end >= 0 else (len(document), None)
    first = document[start + 1 : start + 3].removeprefix("/")[:1]
    if not (first.isalpha() or first in ("_", ":")):
        return start + 1, None
    at = start + 1
    while at < len(document) and document[at] not in "<>":
        if document[at] in _QUOTES:
            at = document.find(document[at], at + 1)
            if at < 0:
                return len(document), None
        at += 1
    if at == len(document) or document[at] == "<":
        return at, None
    return at + 1, document[start + 1 : at].strip("/").split(maxsplit=1)[0].rstrip("/")
