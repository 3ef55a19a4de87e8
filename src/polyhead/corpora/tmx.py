"""TMX, the exchange format of translation memories (versions 1.1 to 1.4), read as a stream.

Memories to learn from have gigabytes, so a unit is forgotten once it is read. `polyhead.formats.tmx`, which writes a
file again byte for byte, holds it whole in memory with the place of every element: one parser cannot serve both.
"""

from collections.abc import Iterator
from functools import lru_cache

from polyhead.corpora.member import Member
from polyhead.corpora.unit import Unit, Wanted
from polyhead.corpora.xml import Element, children, language_of, name_of, read_elements, text_inside
from polyhead.formats.xml_inline import TMX_CODES
from polyhead.languages import nearest

_ALL = "*all*"


def read_tmx(member: Member, wanted: Wanted) -> Iterator[Unit]:
    """The units of a file. The text in its source language comes first; of several in a language the first counts."""
    del wanted
    source = ""
    number = 0
    for has_ended, element in read_elements(member, begun=["header"], ended=["tu"]):
        if not has_ended:
            source = str(element.get("srclang") or "")
            continue
        number += 1
        place = f"{member.name}:{element.sourceline} (unit {number})"
        yield Unit(_ordered(_texts(element), str(element.get("srclang") or source)), place)


def _texts(unit: Element) -> dict[str, object]:
    texts: dict[str, object] = {}
    for variant in children(unit, "tuv"):
        segment = next(children(variant, "seg"), None)
        if segment is not None:
            texts.setdefault(language_of(variant), text_inside(segment, _is_code))
    return texts


def _is_code(element: Element) -> bool:
    return name_of(element) in TMX_CODES


def _ordered(texts: dict[str, object], source: str) -> dict[str, object]:
    """The texts of a unit, with the one in the source language first."""
    return {name: texts[name] for name in _order(tuple(texts), source)}


@lru_cache(maxsize=1024)
def _order(names: tuple[str, ...], source: str) -> tuple[str, ...]:
    first = nearest(source, names) if source not in ("", _ALL) else None
    return names if first is None else (first, *(name for name in names if name != first))
