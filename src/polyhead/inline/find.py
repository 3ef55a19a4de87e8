"""Inline codes that are found in plain text by how they look."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from html import unescape
from typing import Literal

from polyhead.errors import PolyheadError
from polyhead.inline.codes import Code, Marked

Kind = Literal["printf", "braces", "tags", "entities", "escapes"]
"""printf: %s %1$s %(name)s %-5.2f %%, and %Y-%m-%d as of strftime; braces: {0} {name} {{name}} ${x}; tags: <b> </b>
<br/> and comments; entities: &amp; &#160;; escapes: \\n, \\t, \\" and the like, written with a backslash."""

_PATTERNS: dict[Kind, str] = {
    "tags": r"<!--.{0,1000}?-->|</?[A-Za-z][\w:.-]*+(?:\s++(?:\"[^\"]*+\"|'[^']*+'|[^<>\"'])*+)?/?>",
    "entities": r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    "printf": r"%%|%\([^()\s]{1,80}\)[-+#0]{0,4}\d{0,9}(?:\.\d{1,9})?[diouxXeEfFgGcrsa]?|"
    r"(?:(?<!\d)%|%(?=[^A-Za-z]{0,40}[A-Za-z@](?![A-Za-z])))(?:\d{1,9}\$)?[-+#0]{0,4}(?:\d{1,9}|\*)?(?:\.(?:\d{1,9}|\*))?(?:hh?|ll?|[jztL])?[diouxXeEfFgGaAcsSpn@]|"
    r"(?<![\w%])%[-_0^]?[bBDhHIjklmMPrRtTUVwWxyYzZ](?![A-Za-z])",
    "braces": r"\{\{[^{}\n]{1,80}\}\}|\$?\{[^{}\n]{0,80}\}|\$\([A-Za-z_]\w{0,79}\)",
    "escapes": r"\\(?:[abfnrtv\\\"'0]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})",
}
_COMPILED: dict[Kind, re.Pattern[str]] = {kind: re.compile(each, re.DOTALL) for kind, each in _PATTERNS.items()}
_NAME = re.compile(r"</?\s*([\w:.-]+)")
_BREAK = re.compile(
    r"</?(?:br|hr|p|div|li|ul|ol|dl|dt|dd|h[1-6]|table|thead|tbody|tr|td|th|caption|blockquote|pre|section|article"
    r"|header|footer|nav|aside|main|figure|figcaption|form|fieldset|legend|option|optgroup|select)(?![\w:.-])",
    re.IGNORECASE,
)
"""The beginning of a tag of HTML that ends a line: no sentence goes on through it."""
_EMPTY = frozenset("area base br col embed hr img input link meta source track wbr".split())  # noqa: SIM905
"""HTML's elements that have no end."""


def pattern(text: str) -> re.Pattern[str]:
    """A pattern of a user's own. Raises PolyheadError for what is no regular expression, or finds nothing at all."""
    try:
        found = re.compile(text)
    except re.error as error:
        raise PolyheadError(f"the pattern {text!r} is no regular expression: {error}") from None
    if found.search("") is not None:
        raise PolyheadError(f"the pattern {text!r} matches where nothing is written: it would protect nothing")
    return found


def find(text: str, kinds: Collection[str], own: Sequence[re.Pattern[str]] = ()) -> Marked:
    """The codes of these kinds in a text, and what patterns of the user's own match.

    The model reads nothing of tags, but a line break where one ends a line, as `<br>` and `</li>` do; of other codes it
    reads what is written, which its translation has to contain.
    """
    return find_more(Marked(text), kinds, own)


def find_more(marked: Marked, kinds: Collection[str], own: Sequence[re.Pattern[str]] = ()) -> Marked:
    """A text with the codes that it has already and those that `find` finds outside of them."""
    patterns = [(None, each) for each in own] + [(kind, _COMPILED[kind]) for kind in _COMPILED if kind in kinds]
    parts: list[str | Code | tuple[str, str]] = []
    tags: list[tuple[int, str]] = []
    for part in marked.parts():
        if isinstance(part, Code):
            read = marked.text[part.start : part.end]
            parts.append((part.content, read) if read else part)
            continue
        for content, kind in _cut(part, patterns):
            if kind == "tags" and not _BREAK.match(content):
                tags.append((len(parts), content))
            parts.append(_READ[kind](content) if kind in _READ else (content, content))
    first = 1 + max((code.pair for code in marked.codes if code.pair is not None), default=-1)
    for pair, (start, end) in enumerate(_pairs(tags), first):
        parts[start[0]] = Code(start[1], 0, 0, "open", pair)
        parts[end[0]] = Code(end[1], 0, 0, "close", pair)
    return Marked.of(parts)


_READ: dict[str | None, Callable[[str], str | Code | tuple[str, str]]] = {
    "text": str,
    "tags": lambda content: (content, "\n") if _BREAK.match(content) else Code(content, 0, 0),
    "entities": lambda content: (content, unescape(content)),
    "escapes": lambda content: (content, {"\\n": "\n", "\\r": "\r", "\\t": "\t"}.get(content, content)),
}
"""The kind of a part → what the part becomes in the text; of all other kinds the model reads what is written."""


def _cut(text: str, patterns: Sequence[tuple[Kind | None, re.Pattern[str]]]) -> list[tuple[str, str | None]]:
    """All parts of a text, each with the kind of code that it is, or "text"; the first pattern that matches wins."""
    parts: list[tuple[str, str | None]] = [(text, "text")]
    for kind, each in patterns:
        parts = [new for old in parts for new in (_found(old[0], kind, each) if old[1] == "text" else [old])]
    return parts


def _found(text: str, kind: Kind | None, pattern: re.Pattern[str]) -> Iterator[tuple[str, str | None]]:
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        if start > done:
            yield text[done:start], "text"
        if end > start:
            yield text[start:end], kind
        done = end
    if done < len(text):
        yield text[done:], "text"


def _pairs(tags: Sequence[tuple[int, str]]) -> list[tuple[tuple[int, str], tuple[int, str]]]:
    """The pairs among some tags, which are given in their order; a tag without another half is in no pair."""
    waiting: list[tuple[str, tuple[int, str]]] = []
    unclosed: Counter[str] = Counter()
    found: list[tuple[tuple[int, str], tuple[int, str]]] = []
    for tag in tags:
        name = _NAME.match(tag[1])
        if name is None or tag[1].endswith("/>") or name[1].lower() in _EMPTY:
            continue
        if not tag[1].startswith("</"):
            waiting.append((name[1], tag))
            unclosed[name[1]] += 1
            continue
        while unclosed[name[1]]:
            other, start = waiting.pop()
            unclosed[other] -= 1
            if other == name[1]:
                found.append((start, tag))
                break
    return found
