"""The text of a Markdown block with its elements as codes, and such a text written as Markdown again."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polyhead.formats.markdown_places import Element, elements
from polyhead.formats.unit import mapped
from polyhead.inline.codes import Code, Marked, Role

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

KEPT = re.compile(r"\[\^[^\]\s]+\]:?|\[!\w+\]|(?<![^\s])\[[ xX]\](?=\s)|\{\{.*?\}\}|\{%.*?%\}|\{[#.:][^{}\n]*\}")
"""What extensions of Markdown write: footnotes, alerts, boxes of tasks, templates, attributes."""
_ALERT = re.compile(r"\s*\[!\w+\]\s*")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_SPECIAL = re.compile(r"[\\`*\[\]<~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
_FIRST = re.compile(r"(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|=+\s*$|-{2,}\s*$|\||:?-+:?\s*\|)|(\d{1,9})(?=[.)](?:\s|$))")
_HTML = {
    "**": "strong",
    "__": "strong",
    "*": "em",
    "_": "em",
    "~~": "del",
}


@dataclass(frozen=True)
class Segment:
    """A part of a block's text between two line breaks that are meant."""

    whole: Marked
    line: int
    """The line of the block that it begins in, counted from 0."""
    ending: str
    """How the line break behind it is written, up to the end of that line; empty for the last."""


@dataclass(frozen=True)
class Inline:
    """Reads and writes the texts of the blocks of one document."""

    markdown: "MarkdownIt"
    environment: dict[str, Any]
    """What the parser knows of the links that are defined somewhere in the document."""

    def segments(self, content: str) -> list[Segment]:
        """A block's text, as markdown-it gives it, as texts with codes."""
        found = elements(self.markdown, content, self.environment)
        breaks = [each for each in found if _is_break(each, content)]
        parts = list[Segment]()
        start, pairs = 0, _pairs(found, content)
        for end in [*breaks, Element("hardbreak", len(content), len(content), "")]:
            text_end = len(content[: end.start].rstrip(" ")) if end in breaks else end.start
            own = [each for each in found if start <= each.start and each.end <= end.start]
            whole = Marked.of(_parts(content, start, text_end, own, pairs))
            parts.append(Segment(whole, content.count("\n", 0, start), content[text_end : end.end].partition("\n")[0]))
            start = end.end
        return parts

    def written(self, whole: Marked) -> str:
        """A text as Markdown that is read as that text: where marks would not be taken for marks, with tags of HTML."""
        whole = mapped(whole, lambda text: " ".join(re.split(r"[\r\n]", text)))
        plain = "".join(_writes(whole, is_html=False))
        return plain if self._reads(plain) == whole.text else "".join(_writes(whole, is_html=True))

    def _reads(self, content: str) -> str:
        return "\n".join(segment.whole.text for segment in self.segments(content))


def _is_break(each: Element, content: str) -> bool:
    """Whether a line has to end here: where the author said so, and behind the name of an alert."""
    return each.kind == "hardbreak" or (each.kind == "softbreak" and bool(_ALERT.fullmatch(content[: each.start])))


def _pairs(found: Sequence[Element], content: str) -> dict[int, tuple[Role, int]]:
    """Where each half of a pair begins → which half it is, and the pair's number."""
    opened, pairs = list[tuple[str, int]](), dict[int, tuple[Role, int]]()
    for each in found:
        name, is_end = _half(each, content)
        if not name:
            continue
        if not is_end:
            opened.append((name, each.start))
            continue
        match = next((one for one in reversed(opened) if one[0] == name), None)
        if match is not None:
            opened.remove(match)
            number = len(pairs) // 2 + 1
            pairs[match[1]], pairs[each.start] = ("open", number), ("close", number)
    return pairs


def _half(each: Element, content: str) -> tuple[str, bool]:
    """What an element is half of, and whether it is the end; no name for what stands alone."""
    name, _, half = each.kind.rpartition("_")
    if half in ("open", "close") and content[each.start] != "<":
        return name, half == "close"
    tag = _TAG.match(content, each.start) if each.kind == "html_inline" else None
    return (f"<{tag[2].lower()}", bool(tag[1])) if tag else ("", False)


def _parts(
    content: str, start: int, end: int, found: Sequence[Element], pairs: dict[int, tuple[Role, int]]
) -> Iterator[str | Code | tuple[str, str]]:
    for each in found:
        yield from _text(content[start : max(start, each.start)])
        raw, start = content[each.start : each.end], each.end
        if each.kind == "softbreak":
            yield " "
        elif each.kind == "code_inline":
            yield (raw, each.content) if each.content.strip() else Code(raw, 0, 0)
        elif raw.startswith("<") and each.kind == "link_open":
            yield raw, raw[1:-1]
        else:
            role, number = pairs.get(each.start, ("alone", None))
            yield Code(each.content if each.kind.startswith("link") else raw, 0, 0, role, number)
    yield from _text(content[start:end])


def _text(raw: str) -> Iterator[str | Code]:
    from markdown_it.common.utils import unescapeAll

    done = 0
    for kept in KEPT.finditer(raw):
        yield unescapeAll(raw[done : kept.start()])
        yield Code(kept[0], 0, 0)
        done = kept.end()
    yield unescapeAll(raw[done:])


def _writes(whole: Marked, is_html: bool) -> Iterator[str]:
    is_first = True
    for part in whole.parts():
        if isinstance(part, str):
            yield escaped(part, is_first)
        elif is_html and part.content in _HTML and part.role != "alone":
            yield f"<{'/' if part.role == 'close' else ''}{_HTML[part.content]}>"
        else:
            yield part.content
        is_first = False


def escaped(text: str, is_first: bool) -> str:
    """Plain text as Markdown. is_first: whether it begins a line, where more means something."""
    first = _FIRST.match(text) if is_first else None
    text = _SPECIAL.sub(lambda found: f"\\{found[0]}", text)
    if first is None:
        return text
    return f"{first[2]}\\{text[len(first[2]) :]}" if first[2] else f"\\{text}"
