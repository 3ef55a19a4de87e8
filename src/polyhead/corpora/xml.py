"""XML piece by piece, without entities and without anything that it refers to elsewhere."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from polyhead.corpora.compressed import as_file, read_head
from polyhead.corpora.kinds import HEAD
from polyhead.corpora.member import Member
from polyhead.corpora.unit import one_line
from polyhead.errors import DataError, shortened, shown
from polyhead.extras import needing_extra
from polyhead.formats.encoding import begun_text

if TYPE_CHECKING:
    from lxml import etree

    Element: TypeAlias = etree._Element  # pyright: ignore[reportPrivateUsage]  it has no other name
else:
    Element = object

_DECLARED = re.compile(r"<!DOCTYPE[^>\[]*\[", re.IGNORECASE)
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_LONGEST_REASON = 120


def read_elements(member: Member, begun: Sequence[str], ended: Sequence[str]) -> Iterator[tuple[bool, Element]]:
    """Elements as they are read: whether one has ended, and the element, whose content is there only then.

    begun, ended: names, without their namespaces, of the elements to give when they begin and when they have ended. An
    ended one is forgotten as soon as the next is asked for, so that a file of any size takes little memory.
    Raises DataError, with the line, for what isn't XML or declares entities; MissingExtra without lxml.
    """
    with needing_extra(f"reading {member.name}"):
        from lxml import etree
    _refuse_declarations(member)
    tags = [f"{{*}}{name}" for name in (*begun, *ended)]
    with closing(as_file(member)) as file:
        events = etree.iterparse(
            file,
            events=("start", "end"),
            tag=tags,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
        )
        try:
            for event, element in events:
                has_ended = event == "end"
                if name_of(element) in (ended if has_ended else begun):
                    _check_declarations(element, member)
                    if has_ended and (unknown := next(element.iter(etree.Entity), None)) is not None:
                        raise DataError(f"the entity {shown(unknown.text)} is unknown", member.name, element.sourceline)
                    yield has_ended, element
                if has_ended and name_of(element) in ended:
                    _forget(element)
        except etree.XMLSyntaxError as error:
            line = error.lineno or None
            raise DataError(f"this is no well-formed XML: {_reason(str(error.msg))}", member.name, line) from error


def name_of(element: Element) -> str:
    """The name of an element without its namespace; empty for a comment and the like."""
    tag = cast(object, element.tag)
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: Element, name: str) -> Iterator[Element]:
    """The elements of a name that are directly inside another."""
    return (child for child in element if name_of(child) == name)


def language_of(element: Element) -> str:
    """The language of an element by its `xml:lang`, or by `lang` in older files; empty where it has neither."""
    return str(element.get(_LANGUAGE) or element.get("lang") or "")


def text_inside(element: Element, is_code: Callable[[Element], bool]) -> str:
    """The text of an element on one line, without white space at its ends, and without the codes inside it."""
    return one_line(_text(element, is_code)).strip()


def _text(element: Element, is_code: Callable[[Element], bool]) -> str:
    parts = [element.text or ""]
    for child in element:
        if name_of(child) and not is_code(child):
            parts.append(_text(child, is_code))
        parts.append(child.tail or "")
    return "".join(parts)


def _forget(element: Element) -> None:
    """Frees an element that was read, and what stands before it."""
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]


def _refuse_declarations(member: Member) -> None:
    """Raises DataError for a file that declares things at its beginning, before any parser has seen it."""
    if _DECLARED.search(begun_text(read_head(member, HEAD))):
        raise _declares(member)


def _check_declarations(element: Element, member: Member) -> None:
    """Raises DataError for entities that are declared behind a longer beginning; the parser never replaces them."""
    declared = cast(Any, element.getroottree().docinfo.internalDTD)
    if declared is not None and any(True for _ in declared.iterentities()):
        raise _declares(member)


def _declares(member: Member) -> DataError:
    return DataError(
        "this XML declares entities of its own in its DOCTYPE, which isn't read for safety's sake; remove what stands "
        "between [ and ] there",
        member.name,
    )


def _reason(message: str) -> str:
    """The parser's message, with more about the encoding where the message is about that."""
    reason = shortened(" ".join(message.split()), _LONGEST_REASON)
    if "encoding" in reason or "UTF-8" in reason:
        return f"{reason}; its encoding isn't the one that it names, or UTF-8 where it names none"
    return reason
