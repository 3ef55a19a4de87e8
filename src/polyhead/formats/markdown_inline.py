"""The text of a Markdown block with its elements as codes, and such a text written as Markdown again."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from polyhead.formats.markdown_places import Element, elements
from polyhead.formats.unit import has_words, mapped
from polyhead.inline.codes import Code, Marked, Role

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

KEPT = re.compile(
    r"\[\^[^\[\]\s]+\]:?|\[!\w+\]|(?<![^\s])\[[ xX]\](?=\s)"
    r"|(?<!\{)\{\{++(?:(?!\{\{|\}\}).)*+\}\}|\{%(?:(?!\{%|%\}).)*+%\}|\{[#.:][^{}\n]*\}"
    r"|\\\$|\$\$[^$\n]+\$\$|(?<![\w\\$])\$(?=[^\s$])[^$\n]*(?<=[^\s\\])\$(?![\w$])|(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])"
)
"""What extensions of Markdown write: footnotes, alerts, boxes of tasks, templates, attributes, formulas, emoji."""
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
class Image:
    """A picture, with the words that stand for it."""

    raw: str
    words: str
    line: int
    """The line of the block that the picture begins in, counted from 0."""

    def written(self, words: str) -> str:
        """The picture with other words."""
        return f"![{escaped(' '.join(words.split()), is_first=False)}{self.raw[self.raw.index('](') :]}"


@dataclass(frozen=True)
class Segment:
    """A part of a block's text between two line breaks that stay, such as hard ones."""

    whole: Marked
    line: int
    """The line of the block that the part begins in, counted from 0."""
    ending: str
    """How the line break behind it is written, up to the end of that line; empty for the last part."""
    images: tuple[Image, ...]
    """The pictures in it that have plain words."""


@dataclass(frozen=True)
class Inline:
    """Reads and writes the texts of the blocks of one document."""

    markdown: "MarkdownIt"
    environment: dict[str, Any]
    """What the parser knows of the links that are defined somewhere in the document."""

    def segments(self, content: str) -> list[Segment]:
        """The text of a block, as markdown-it gives it, divided into texts with codes."""
        found = elements(self.markdown, content, self.environment)
        pairs, own = _pairs(found, content), list[Element]()
        parts, start, line = list[Segment](), 0, 0
        for each in [*found, Element("hardbreak", len(content), len(content), "")]:
            if not _is_break(each, content):
                own.append(each)
                continue
            end = each.start
            while each.end > each.start and end > start and content[end - 1] == " ":
                end -= 1
            whole = Marked.of(_parts(content, start, end, own, pairs))
            images = tuple(_images(content, own))
            parts.append(Segment(whole, line, content[end : each.end].partition("\n")[0], images))
            line += content.count("\n", start, each.end)
            start, own = each.end, []
        return parts

    def written(self, whole: Marked, images: Mapping[str, str]) -> str:
        """A text as Markdown that is read as this text; where its marks would not be read as marks, with tags of HTML.

        images: a picture as it was → as it is to be written
        """
        codes = (replace(code, content=images.get(code.content, code.content)) for code in whole.codes)
        whole = Marked(whole.text, tuple(codes))
        whole = mapped(whole, lambda text: " ".join(re.split(r"[\r\n]", text)))
        plain = "".join(_writes(whole, is_html=False))
        return plain if self._reads(plain) == whole.text else "".join(_writes(whole, is_html=True))

    def _reads(self, content: str) -> str:
        return "\n".join(segment.whole.text for segment in self.segments(content))


def _images(content: str, found: Sequence[Element]) -> Iterator[Image]:
    """The pictures whose words have no markup in them, and whose address is written right behind them."""
    from markdown_it.common.utils import unescapeAll

    for each in found:
        raw, words = content[each.start : each.end], unescapeAll(each.content)
        is_plain = not re.search(r"[][<>`*_!]", words) and raw.startswith(f"![{each.content}](")
        if each.kind == "image" and is_plain and has_words(Marked(words)):
            yield Image(raw, words, content.count("\n", 0, each.start))


def _is_break(each: Element, content: str) -> bool:
    """Whether a line has to end here: where the author said so, and behind the name of an alert."""
    return each.kind == "hardbreak" or (each.kind == "softbreak" and bool(_ALERT.fullmatch(content, 0, each.start)))


def _pairs(found: Sequence[Element], content: str) -> dict[int, tuple[Role, int]]:
    """Where each half of a pair begins → which half it is, and the pair's number."""
    opened, pairs = dict[str, list[int]](), dict[int, tuple[Role, int]]()
    for each in found:
        name, is_end = _half(each, content)
        waiting = opened.setdefault(name, [])
        if name and not is_end:
            waiting.append(each.start)
        elif waiting:
            number = len(pairs) // 2 + 1
            pairs[waiting.pop()], pairs[each.start] = ("open", number), ("close", number)
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


def _text(raw: str) -> Iterator[str | Code | tuple[str, str]]:
    from markdown_it.common.utils import unescapeAll

    done = 0
    for kept in KEPT.finditer(raw):
        yield unescapeAll(raw[done : kept.start()])
        yield (kept[0], "$") if kept[0] == "\\$" else Code(kept[0], 0, 0)
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
    """Plain text as Markdown. is_first: whether it begins a line, where more characters have a meaning."""
    first = _FIRST.match(text) if is_first else None
    text = _SPECIAL.sub(lambda found: f"\\{found[0]}", text)
    if first is None:
        return text
    return f"{first[2]}\\{text[len(first[2]) :]}" if first[2] else f"\\{text}"
