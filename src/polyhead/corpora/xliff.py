"""XLIFF 1.2 and 2, the exchange format of localisation, read as a stream, for the reason that `tmx` gives."""

from collections.abc import Iterator

from polyhead.corpora.member import Member
from polyhead.corpora.unit import SOURCE, TARGET, Unit, Wanted
from polyhead.corpora.xml import Element, children, name_of, read_elements, text_inside
from polyhead.formats.xml_inline import XLIFF_CODES

_UNFINISHED_1 = ("new", "needs-")
"""How states in version 1.2 begin that say that there is work to do."""
_UNFINISHED_2 = "initial"


def read_xliff(member: Member, wanted: Wanted) -> Iterator[Unit]:
    """The units of a file of version 1.2, or the segments of units that have some; the segments of one of version 2."""
    del wanted
    outer = languages = SOURCE, TARGET
    translatable = True
    number = 0
    for has_ended, element in read_elements(member, ["xliff", "file", "unit"], ["trans-unit", "segment", "unit"]):
        name = name_of(element)
        if name == "xliff":
            outer = languages = _languages(element, outer)
        elif name == "file":
            languages = _languages(element, outer)
        elif name == "unit":
            translatable = element.get("translate") != "no"
        elif has_ended:
            number += 1
            place = f"{member.name}:{element.sourceline} (unit {number})"
            is_first = name == "trans-unit"
            if element.get("translate") == "no" if is_first else not translatable:
                continue
            finished = _is_finished_1(element) if is_first else element.get("state") != _UNFINISHED_2
            for source, target in _texts(element):
                yield Unit({languages[0]: source, languages[1]: target}, place, finished)


def _languages(element: Element, outer: tuple[str, str]) -> tuple[str, str]:
    """The languages that `file` (version 1.2) or `xliff` (version 2) names, or else those named further out."""
    source = str(element.get("source-language") or element.get("srcLang") or outer[0])
    target = str(element.get("target-language") or element.get("trgLang") or outer[1])
    return source, target if target != source else TARGET


def _texts(unit: Element) -> Iterator[tuple[str | None, str | None]]:
    """Source and target of a unit; None for one that isn't there."""
    source, target = next(children(unit, "source"), None), next(children(unit, "target"), None)
    segmented = next(children(unit, "seg-source"), None)
    segments = {} if segmented is None else _segments(segmented)
    if target is not None and segments and segments.keys() == (others := _segments(target)).keys():
        yield from ((segments[number], others[number]) for number in segments)
    else:
        yield _text(source), _text(target)


def _segments(element: Element) -> dict[str, str]:
    """The texts of the segments directly inside an element, by their numbers (`mid`)."""
    marked = (each for each in children(element, "mrk") if each.get("mtype") == "seg")
    return {str(each.get("mid")): text_inside(each, _is_code) for each in marked}


def _text(element: Element | None) -> str | None:
    return None if element is None else text_inside(element, _is_code)


def _is_code(element: Element) -> bool:
    return name_of(element) in XLIFF_CODES


def _is_finished_1(unit: Element) -> bool:
    target = next(children(unit, "target"), None)
    return target is None or not str(target.get("state") or "").startswith(_UNFINISHED_1)
