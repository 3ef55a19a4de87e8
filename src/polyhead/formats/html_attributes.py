"""Attributes of HTML's tags that people read, such as `alt` and `title`."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from polyhead.formats.markup_tokens import Attribute, Token
from polyhead.formats.unit import Answered, Unit, has_words, without_margins
from polyhead.inline.codes import Marked

_READ = frozenset({"alt", "aria-description", "aria-label", "aria-placeholder", "placeholder", "title"})
_READ_THERE = frozenset({("option", "label"), ("optgroup", "label"), ("track", "label"), ("th", "abbr")})
_DESCRIPTIONS = frozenset(
    {"description", "keywords", "og:title", "og:description", "og:image:alt", "twitter:title", "twitter:description"}
)
_BUTTONS = frozenset({"button", "reset", "submit"})


@dataclass(frozen=True)
class ReadTag:
    """A tag with attributes that people read."""

    tag: Token
    attributes: tuple[Attribute, ...]
    units: tuple[Unit, ...]
    """A unit for each of the attributes."""

    @classmethod
    def of(cls, tag: Token, line: int) -> "ReadTag | None":
        """A tag that begins in a line of the file; None where it has no attribute that people read."""
        found = [(each, _unit(each, line)) for each in tag.attributes if _is_read(tag, each)]
        found = [(each, unit) for each, unit in found if has_words(unit.marked)]
        return cls(tag, tuple(each for each, _ in found), tuple(unit for _, unit in found)) if found else None

    def written(self, answers: Sequence[Answered]) -> str:
        """The tag with its attributes in translation."""
        raw = self.tag.raw
        for attribute, answer in reversed(list(zip(self.attributes, answers, strict=True))):
            if answer.is_changed:
                quote = "'" if raw[attribute.start] == "'" else '"'
                value = escape(answer.whole.written(), quote=False).replace(quote, f"&#{ord(quote)};")
                raw = f"{raw[: attribute.start]}{quote}{value}{quote}{raw[attribute.end :]}"
        return raw


def _unit(attribute: Attribute, line: int) -> Unit:
    return without_margins(Marked(attribute.value), line, attribute.name)


def _is_read(tag: Token, attribute: Attribute) -> bool:
    if attribute.name in _READ or (tag.name, attribute.name) in _READ_THERE:
        return True
    if tag.name == "meta" and attribute.name == "content":
        return (tag.attribute("name") or tag.attribute("property") or "").lower() in _DESCRIPTIONS
    if tag.name == "input" and attribute.name == "value":
        return (tag.attribute("type") or "").lower() in _BUTTONS
    return False
